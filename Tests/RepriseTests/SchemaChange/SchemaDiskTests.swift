import FaultSupport
import Reprise
import Testing

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

/// Changes of the schema on disks that refuse, and of stores that are only read.
@Suite(.serialized) struct `Changes of the schema and the disk` {
    #if canImport(Glibc)
        @Test(arguments: [ENOSPC, EIO], [false, true])
        func `a call to the disk that fails is told, and the store is as it was`(
            code: Int32,
            isSticky: Bool
        ) async throws {
            // STO-30, STO-31, STO-94
            let archive = try ArchiveStore(150, views: isSticky ? .present : .new)
            let results = AcknowledgementFile(path: archive.scratch("results"))
            let worker = archive.worker(
                "do=refuse-change",
                "path=" + archive.path,
                "code=\(code)",
                "sticky=\(isSticky ? "yes" : "no")",
                results: results
            )
            let ending = await worker.end()
            #expect(ending == .exit(0), "\(archive.output)")
            let lines = results.lines.map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
            try #require(lines.count > 4)
            for (place, line) in lines.enumerated() {
                let path = "\(archive.path)-\(line[0])"
                if place == lines.count - 1 {
                    // No call was left to fail.
                    #expect(line[1] == "ok")
                    let state = try archive.state(of: path)
                    #expect(state == .after)
                    continue
                }
                if archive.views == .new, line[1] == "ok" || line[1] == "poisoned" {
                    // It was made. The old views are taken away behind it, or by the next process.
                    let state = try archive.state(of: path)
                    #expect(state == .after, "call \(line[0])")
                    continue
                }
                #expect(line[1] == (code == ENOSPC ? "diskFull" : "inputOutput"), "call \(line[0])")
                let state = try archive.state(of: path)
                #expect(state == .before, "call \(line[0])")
                try archive.expectAfter(path)
            }
        }
    #endif

    @Test(.enabled(if: getuid() == 0, "Only root mounts a small file system."))
    func `a change on a full disk is refused as that, and made when there is room again`() async throws {
        // STO-31, STO-94
        guard let disk = try await SmallDisk() else {
            try Test.cancel("This system mounts nothing here.")
        }
        let archive = try ArchiveStore(2000)
        let path = disk.path + "/store"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: archive.path + "/data.mdb", toPath: path + "/data.mdb")
        // There is room for the lock file.
        let state = try archive.state(of: path)
        #expect(state == .before)
        let filler = disk.path + "/filler"
        var generator = SeededGenerator(seed: UInt64(KillTests.seed))
        for left in [0, generator.below(64 << 10), generator.below(512 << 10)] {
            replaceContents(ofFile: filler, with: [UInt8](repeating: 0, count: disk.room - left))
            for _ in 0..<2 {
                #expect(code { try Store.open(at: path, schema: Archive.Two.schema) } == .diskFull, "\(left) bytes")
            }
            // To verify a store takes room.
            let state = try archive.state(of: path, verifies: false)
            #expect(state == .before, "\(left) bytes")
            unsafe unlink(filler)
        }
        let last = try archive.expectWhole(path)
        #expect(last == .before)
    }

    @Test(arguments: ["adds", "changes"])
    func `a store that is only read is not changed by a byte`(_ kind: String) throws {
        // STO-68, STO-83
        let archive = try ArchiveStore(50)
        let schema = kind == "adds" ? Archive.More.schema : Archive.Two.schema
        let before = contents(ofFile: archive.path + "/data.mdb")
        let error = failure {
            try Store.open(at: archive.path, schema: schema, configuration: .readOnly).close()
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("a store that is only read is not changed") == true)
        #expect(contents(ofFile: archive.path + "/data.mdb") == before)
        // The declaration that it has is read.
        let store = try Store.open(at: archive.path, schema: Archive.One.schema, configuration: .readOnly)
        #expect(try store.count(FetchDescriptor<Archive.One.Card>()) == 50)
        store.close()
        #expect(contents(ofFile: archive.path + "/data.mdb") == before)
        let state = try archive.state(of: archive.path)
        #expect(state == .before)
    }

    @Test(.enabled(if: getuid() == 0, "Only root gives files to another user."))
    func `the store of another user is not changed, and nothing is left beside it`() async throws {
        // STO-68, STO-83
        let archive = try ArchiveStore(50)
        unsafe chmod(archive.scratch.path, 0o755)
        unsafe chmod(archive.path, 0o755)
        for name in ["data.mdb", "lock.mdb"] { unsafe chmod("\(archive.path)/\(name)", 0o644) }
        let outside = try Scratch()
        unsafe chmod(outside.path, 0o777)
        let before = contents(ofFile: archive.path + "/data.mdb")
        let files = try FileManager.default.contentsOfDirectory(atPath: archive.path).sorted()
        let results = AcknowledgementFile(path: outside("results"))
        let worker = archive.worker("do=nobody-change", "path=" + archive.path, results: results)
        #expect(await worker.end() == .exit(0))
        #expect(results.lines == ["schemaMismatch"])
        #expect(contents(ofFile: archive.path + "/data.mdb") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: archive.path).sorted() == files)
    }
}
