import Foundation
import LegacyMigration
import TestSupport
import Testing

@Suite struct NewFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("out") }

    init() throws {
        directory = try TemporaryDirectory(named: "export")
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    @Test func `a file appears when it is published, with all of its bytes`() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        do {
            let file = try NewFile(path: path)
            for start in stride(from: 0, to: bytes.count, by: 1999) {
                try file.write(Array(bytes[start..<min(start + 1999, bytes.count)]))
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            try file.publish()
        }
        #expect(try files == ["out"])
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
    }

    @Test func `a file that is given up or withdrawn is not there`() throws {
        do { try NewFile(path: path).write([1, 2, 3]) }
        #expect(try files.isEmpty)
        do {
            let file = try NewFile(path: path)
            try file.publish()
            file.withdraw()
        }
        #expect(try files.isEmpty)
    }

    private func mode(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// STO-78
    @Test func `what a killed export left is removed by the next one in that folder`() throws {
        try Data("rows".utf8).write(to: URL(filePath: directory.path(".reprise-export-1f")))
        try Data("other".utf8).write(to: URL(filePath: directory.path(".reprise-export-x.txt")))
        let first = try NewFile(path: path)
        try first.write([1])
        let second = try NewFile(path: directory.path("two"))
        let found = try files
        #expect(found.count == 3 && !found.contains(".reprise-export-1f"))
        try first.publish()
        try second.publish()
        #expect(try files == [".reprise-export-x.txt", "out", "two"])
    }

    @Test func `only its owner may read a file that is not published, and then the umask decides`()
        throws
    {
        try Data().write(to: URL(filePath: directory.path("plain")))
        let file = try NewFile(path: path)
        try file.write(Array(repeating: 7, count: 100_000))
        let name = try #require(try files.first { $0.hasPrefix(".reprise-export-") })
        #expect(try mode(name) == 0o600)
        try file.publish()
        #expect(try mode("out") == mode("plain"))
    }

    @Test func `nothing that is there is replaced, not even a link that leads nowhere`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
        let error = #expect(throws: ExportError.self) { try NewFile(path: path) }
        #expect(error?.code == .fileExists)
        #expect(try files == ["out"])
        let first = try NewFile(path: directory.path("two"))
        let second = try NewFile(path: directory.path("two"))
        try first.publish()
        let late = #expect(throws: ExportError.self) { try second.publish() }
        #expect(late?.code == .fileExists)
        #expect(
            late.map { "\($0)" }?.hasSuffix(
                "Name a file that does not exist yet, or move that one away."
            ) == true
        )
    }
}
