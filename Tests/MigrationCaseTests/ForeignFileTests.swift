import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// A file that is no export is told what it is, and what to do.
@Suite struct ForeignFileTests {
    @Test(arguments: [
        ("Library.xml.gz", "packed with gzip", "Unpack"), ("export.zip", "a zip archive", "Unpack"),
        ("list.xlsx", "an Excel workbook", "CSV UTF-8"),
        ("iTunes Library.itl", "only iTunes and Music", "Export Library"),
        ("radio.pls", "PLS", "M3U8"), ("pointer.csv", "pointer of Git LFS", "git lfs pull"),
        ("export.xml", "Apple Health", "CSV"),
    ])
    func `each file has its own sentence`(file: String, what: String, advice: String) throws {
        let files = try UserFiles("19-wrong-messages")
        let answer = files.migrate(file)
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains(what), "\(answer.diagnostics)")
        #expect(answer.diagnostics.contains(advice), "\(answer.diagnostics)")
        #expect(!FileManager.default.fileExists(atPath: files.store))
    }

    @Test(arguments: ["csv", "m3u", "ndjson", "itunes"])
    func `a pointer of Git LFS is one whatever it is taken for`(format: String) throws {
        let files = try UserFiles("19-wrong-messages")
        let answer = files.migrate("pointer.csv", "--as", format)
        #expect(answer.diagnostics.contains("pointer of Git LFS"), "\(answer.diagnostics)")
    }

    @Test func `a library with a blank first line is read`() throws {
        let files = try UserFiles("19-wrong-messages")
        let answer = files.migrate("leading-newline.xml")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("track").count == 5)
        #expect(try files.members("tracks", of: "playlist", "00000000B0000001").count == 4)
    }

    @Test(arguments: ["app.sqlite", "app.db", "noise"])
    func `noise as long as whole pages may be an encrypted database`(name: String) throws {
        let files = try UserFiles("19-wrong-messages")
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Data([0xA7, 0x01] + noise.dropLast(2)).write(to: URL(filePath: files.path(name)))
        let answer = files.migrate(name)
        #expect(
            answer.diagnostics.contains("may be an encrypted database"),
            "\(answer.diagnostics)"
        )
        #expect(answer.diagnostics.contains("sqlcipher_export"), "\(answer.diagnostics)")
        try Data(noise.dropLast(7)).write(to: URL(filePath: files.path("other.bin")))
        #expect(!files.migrate("other.bin").diagnostics.contains("encrypted database"))
    }

    @Test func `noise that is called a Realm file may be an encrypted one`() throws {
        let files = try UserFiles("19-wrong-messages")
        try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
            .write(to: URL(filePath: files.path("app.realm")))
        let answer = files.migrate("app.realm")
        #expect(answer.diagnostics.contains("--key-file"), "\(answer.diagnostics)")
    }
}
