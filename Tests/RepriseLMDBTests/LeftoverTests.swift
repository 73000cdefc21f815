import Testing

@testable import RepriseLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What killed processes leave behind (STO-78). A lock goes with its process, so what is not locked stands for that.
struct LeftoverTests {
    private func names(_ scratch: Scratch) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: scratch.path))
    }

    private func make(_ name: String, in scratch: Scratch, isDirectory: Bool) throws {
        let path = "\(scratch.path)/\(name)"
        if isDirectory {
            try FileManager.default.createDirectory(
                atPath: path + "/inner",
                withIntermediateDirectories: true
            )
            try Data("content".utf8).write(to: URL(filePath: path + "/inner/file"))
        } else {
            try Data("content".utf8).write(to: URL(filePath: path))
        }
    }

    @Test func `what is locked stays, what was left behind goes, and so does nothing else`() throws {
        let scratch = Scratch()
        try make("kept", in: scratch, isDirectory: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/.made-link",
            withDestinationPath: "\(scratch.path)/kept"
        )
        let others = [
            ".made-", ".made-0123456789abcdefg", ".made-A", ".made-a.b", "x.made-a", ".other-a",
        ]
        for name in others { try make(name, in: scratch, isDirectory: false) }
        let before = try names(scratch)
        try make(".made-1f", in: scratch, isDirectory: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/.made-1f/inner/link",
            withDestinationPath: "\(scratch.path)/kept/inner"
        )
        try make(".made-zz9", in: scratch, isDirectory: false)
        try make(".made-live", in: scratch, isDirectory: true)
        let live = try #require(Leftover(at: "\(scratch.path)/.made-live"))
        Leftover.removeAll(in: scratch.path, namePrefix: ".made-")
        #expect(try names(scratch) == before.union([".made-live"]))
        #expect(FileManager.default.fileExists(atPath: "\(scratch.path)/kept/inner/file"))
        live.remove()
        #expect(try names(scratch) == before)
    }

    @Test func `a directory is for its owner only, and goes when its owner is gone`() throws {
        let scratch = Scratch()
        let first = try Leftover.makeDirectory(in: scratch.path, namePrefix: ".made-")
        var status = stat()
        #expect(unsafe lstat(first.path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        do {
            let second = try Leftover.makeDirectory(in: scratch.path + "/", namePrefix: ".made-")
            #expect(try names(scratch).count == 2)
            #expect(second.path != first.path)
        }
        // Nobody holds the second one any more, as if its process had been killed.
        Leftover.removeAll(in: scratch.path, namePrefix: ".made-")
        #expect(try names(scratch) == [String(first.path.split(separator: "/").last ?? "")])
        first.remove()
    }

    @Test func `what was removed before it was locked is not taken for one's own`() throws {
        let scratch = Scratch()
        #expect(Leftover(at: "\(scratch.path)/absent") == nil)
    }
}
