import Foundation
import RealmFile
import TestSupport
import Testing

@testable import RepriseCLI

/// `reprise realm dump` against realm-core's own dumps, byte for byte.
struct RealmDumpTests {
    /// Where two texts part, for a message that can be read.
    private func difference(_ text: String, _ truth: URL) throws -> String? {
        let found = Array(text.utf8)
        let expected = try [UInt8](Data(contentsOf: truth))
        if found == expected { return nil }
        let place = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let start = max(0, (place ?? min(found.count, expected.count)) - 40)
        return """
            \(found.count) bytes instead of \(expected.count); from \(start) on: \
            \(String(decoding: found.dropFirst(start).prefix(120), as: UTF8.self)) instead of \
            \(String(decoding: expected.dropFirst(start).prefix(120), as: UTF8.self))
            """
    }

    private func check(_ pair: RealmFixtures.Pair, in directory: URL) throws {
        let answer = RealmFixtures.run(RealmDumpCommand(file: pair.location(in: directory)))
        #expect(answer.outcome == .done && answer.diagnostics.isEmpty, "\(answer.diagnostics)")
        let truth = directory.appending(path: "\(pair.truth).truth.ndjson")
        if let difference = try difference(answer.output, truth) { Issue.record("\(difference)") }
    }

    @Test(arguments: RealmFixtures.ownPairs)
    func `a dump is the one of realm-core`(pair: RealmFixtures.Pair) throws {
        try check(pair, in: RealmFixtures.own)
    }

    @Test(
        .enabled(if: RealmFixtures.areHere, "the larger Realm files are not here"),
        arguments: RealmFixtures.generatedPairs
    )
    func `a dump of a larger file is the one of realm-core`(pair: RealmFixtures.Pair) throws {
        try check(pair, in: RealmFixtures.generated)
    }

    @Test(.enabled(if: RealmFixtures.areHere, "the larger Realm files are not here"))
    func `every generated file has been compared`() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: RealmFixtures.generated.path
        )
        .filter { $0.hasSuffix(".realm") }.map { String($0.dropLast(6)) }
        #expect(Set(names) == Set(RealmFixtures.generatedPairs.map(\.file)))
    }

    @Test(.enabled(if: RealmFixtures.areHere, "the larger Realm files are not here"))
    func `a dump of a file of an SDK or an app is the one of realm-core`() throws {
        let directory = RealmFixtures.real.appending(path: "truth")
        let truths = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(truths.count == 45)
        for truth in truths {
            let name = String(truth.dropLast(".ndjson".count))
            let path = RealmFixtures.real.appending(path: "\(name).realm").path
            let location = RealmLocation(path: path, keyFile: RealmFixtures.key(of: name))
            let answer = RealmFixtures.run(RealmDumpCommand(file: location))
            #expect(answer.outcome == .done, "\(name): \(answer.diagnostics)")
            let difference = try difference(answer.output, directory.appending(path: truth))
            #expect(difference == nil, "\(name)")
        }
    }

    /// Those that are not read, and why. All others are read whole and found sound.
    private static let refused: [String: RealmFileError.Code] = [
        // Upgrades from version 9 that were stopped halfway, on purpose: classes have the parts of version 10.
        "core-v13.27.0__test__test_upgrade_colkey_error": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_1": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_2": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_3": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_4": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_5": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_6": .unsupportedContent,
        "core-v13.27.0__test__test_upgrade_progress_7": .unsupportedContent,
        // Tables within tables and the mixed type of old, which no SDK of those days wrote.
        "core-v6.1.4__test__test_upgrade_database_1000_5_to_6_stringindex": .unsupportedContent,
        "core-v6.1.4__test__test_upgrade_database_4_5_to_6_stringindex": .unsupportedContent,
    ]

    @Test(.enabled(if: RealmFixtures.areHere, "the larger Realm files are not here"))
    func `every file of an SDK or an app is read, or refused for a reason that is known`() throws {
        let names = try RealmFixtures.realNames()
        #expect(names.count == 109)
        var found: [String: RealmFileError.Code] = [:]
        for name in names {
            let path = RealmFixtures.real.appending(path: "\(name).realm").path
            let location = RealmLocation(path: path, keyFile: RealmFixtures.key(of: name))
            do {
                let realm = try location.open(in: RealmFixtures.silence)
                try realm.examine()
            } catch let error as RealmFileError {
                found[name] = error.code
                continue
            }
            // What is sound can be dumped, and has a line for each class and each object that is not part of another.
            let realm = try location.open(in: RealmFixtures.silence)
            let answer = RealmFixtures.run(RealmDumpCommand(file: location))
            #expect(answer.outcome == .done, "\(name): \(answer.diagnostics)")
            let count = realm.classes.reduce(0) {
                $0 + 1 + ($1.kind == .embedded ? 0 : $1.objectCount)
            }
            #expect(answer.output.utf8.count { $0 == UInt8(ascii: "\n") } == count, "\(name)")
        }
        for name in Set(found.keys).union(Self.refused.keys) {
            #expect(found[name] == Self.refused[name], "\(name)")
        }
    }

    @Test func `a damaged file is refused before anything is written`() throws {
        let directory = try TemporaryDirectory(named: "cli")
        var bytes = try Data(contentsOf: RealmFixtures.own.appending(path: "music_tiny.realm"))
        let text = try #require(bytes.range(of: Data("YOASOBI".utf8)))
        bytes[text.lowerBound] = 0xff
        let path = URL(filePath: directory.path("damaged.realm"))
        try bytes.write(to: path)
        let answer = RealmFixtures.run(RealmDumpCommand(file: RealmLocation(path: path.path)))
        #expect(answer.outcome == .badData)
        #expect(answer.output.isEmpty)
        #expect(
            answer.diagnostics.hasPrefix("Error: A string is not UTF-8. (at byte "),
            "\(answer.diagnostics)"
        )
    }

    @Test func `a dump that is interrupted says so`() throws {
        let location = RealmFixtures.ownPairs[3].location(in: RealmFixtures.own)
        let diagnostics = MemorySink()
        let output = MemorySink()
        var console = Console(
            output: output,
            diagnostics: diagnostics,
            isQuiet: true,
            interruption: Interruption { true }
        )
        let outcome = Tool.run(in: &console) { console in
            try RealmDumpCommand(file: location).run(in: &console)
        }
        #expect(outcome == .interrupted)
        #expect(output.text.isEmpty)
        #expect(diagnostics.text.hasPrefix("Error: Stopped as you asked."))
    }

    @Test(
        .enabled(
            if: RealmFixtures.areHere && Program.path != nil,
            "the larger Realm files are not here, or the command has not been built"
        )
    )
    func `a file that is cut while it is read is named, and no store`() throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).realm").path
        defer { try? FileManager.default.removeItem(atPath: copy) }
        // More is printed than the pipe holds: the command waits until the file was cut.
        let answer = try Program.shell(
            """
            cp "$1" "$2"
            { "$0" realm dump "$2" 2>&1 >&3 | cat >"$2.said"; } 3>&1 \\
                | { head -c 1; truncate -s 4096 "$2"; cat; } >/dev/null
            cat "$2.said"; rm "$2.said"
            """,
            RealmFixtures.generated.appending(path: "music_10k.realm").path,
            copy
        )
        #expect(answer.output.hasPrefix("reprise: Reading \(copy) ended in SIG"))
        #expect(!answer.output.contains("store"))
    }
}
