import Foundation
import Testing

@testable import RepriseCLI

/// Realm files and what realm-core says of them.
enum RealmFixtures {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Small ones, in the repository.
    static let own = root.appending(path: "Tests/RealmFileTests/Fixtures")
    /// Larger ones, which realm-core wrote; they do not ship with the package.
    static let generated = root.appending(path: "../shared/fixtures/realm/generated").standardized
    /// Those of SDKs and apps, which do not ship with the package either.
    static let real = root.appending(path: "../shared/fixtures/realm/real").standardized

    static let areHere = FileManager.default.fileExists(
        atPath: generated.appending(path: "alltypes_300.realm").path
    )

    /// A Realm file and the name of the dump that it should give.
    struct Pair: Sendable, CustomTestStringConvertible {
        let file: String
        let truth: String
        var isEncrypted: Bool { file.hasSuffix("_encrypted") }
        var testDescription: String { file }

        init(_ file: String, _ truth: String? = nil) {
            self.file = file
            self.truth = truth ?? file
        }

        /// - Parameter directory: where both lie, with the key.
        func location(in directory: URL) -> RealmLocation {
            RealmLocation(
                path: directory.appending(path: "\(file).realm").path,
                keyFile: isEncrypted ? directory.appending(path: "encrypted.key").path : nil
            )
        }
    }

    static let ownPairs: [Pair] = [
        Pair("music_tiny"), Pair("music_tiny_compact", "music_tiny"), Pair("unresolved"),
        Pair("music_100"), Pair("music_100_encrypted", "music_100"),
        Pair("music_100_compact_encrypted", "music_100"),
    ]

    static let generatedPairs: [Pair] =
        ownPairs + [
            Pair("alltypes_300"), Pair("bigblob"),
            Pair("music_10k"), Pair("music_10k_compact", "music_10k"),
            Pair("music_10k_encrypted", "music_10k"),
            Pair("old_fmt9_5k"), Pair("old_fmt11_5k"), Pair("old_fmt20_5k", "old_fmt11_5k"),
            Pair("old_fmt23_5k"),
        ]

    /// The names of the files of SDKs and apps, without what follows the last point.
    static func realNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: real.path)
            .filter { $0.hasSuffix(".realm") }.map { String($0.dropLast(6)) }.sorted()
    }

    /// The key of an encrypted one.
    static func key(of name: String) -> String? {
        if name.contains("test_shared_decrypt_") { return key("core_test_crypt_key.bin") }
        if name.hasSuffix("default-encrypted") { return key("ios_key_all_01.bin") }
        return nil
    }

    private static func key(_ name: String) -> String { real.appending(path: name).path }

    /// A console that nobody looks at.
    static var silence: Console {
        Console(output: MemorySink(), diagnostics: MemorySink(), isQuiet: true)
    }

    /// What a command answers, says besides, and returns.
    static func run(
        _ command: some Command
    ) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(in: &console) { console in try command.run(in: &console) }
        return (outcome, output.text, diagnostics.text)
    }
}
