import Foundation
import LegacyRecords
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// What `migrate` and `verify-migration` say of what is lost: how often, what it means, and why.
struct MigrationWarningTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.path("store") }

    init() throws {
        directory = try TemporaryDirectory(named: "warnings")
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = directory.path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words, in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    /// A member of a line of JSON, down a path of names.
    private func member(_ text: String, _ names: String...) throws -> JSONValue? {
        var value: JSONValue? = try JSONValue(parsing: text)
        for name in names {
            guard case .object(let members)? = value else { return nil }
            value = members.first { $0.name == name }?.value
        }
        return value
    }

    /// A table in which five rows have a field too many.
    private func ragged() throws -> String {
        let rows = (1...9).map { "\($0),Note \($0)" + ($0 < 6 ? ",more" : "") }
        return try file("notes.csv", "id,text\n" + rows.joined(separator: "\n") + "\n")
    }

    @Test func `each kind is said with its count, its meaning and the first of its reasons`() throws
    {
        let export = try ragged()
        let meaning = try #require(LegacyWarning.Kind.raggedRow.meaning)
        func lines(_ output: String) -> [Substring] {
            Array(output.split(separator: "\n").drop { !$0.contains("raggedRow") })
        }
        for words in [["--dry-run"], []] {
            let output = MemorySink()
            var console = Console(output: output, diagnostics: MemorySink(), isQuiet: true)
            let command = ["migrate", export, "--into", store] + words
            #expect(Tool.run(command, in: &console) == .done)
            let lines = lines(output.text)
            #expect(lines[0].hasPrefix("warning") && lines[0].hasSuffix("raggedRow: 5, \(meaning)"))
            for place in 1...3 { #expect(lines[place].contains("The row before line")) }
            #expect(lines[4].hasSuffix("  and 2 more"), "\(output.text)")
            #expect(!lines[5].contains("The row before line"))
        }
        let verified = tool("verify-migration", export, store)
        #expect(verified.outcome == .done && verified.output.contains("raggedRow: 5, \(meaning)\n"))
        #expect(verified.output.components(separatedBy: "The row before line").count == 4)
        #expect(verified.output.contains("  and 2 more\n"))
        // Who asks for no loss is shown all that is known.
        let strict = tool("verify-migration", export, store, "--strict")
        #expect(strict.outcome == .no)
        #expect(strict.output.components(separatedBy: "The row before line").count == 6)
    }

    @Test func `JSON has the messages beside the counts, sorted`() throws {
        let export = try ragged()
        for words in [
            ["migrate", export, "--into", store, "--dry-run"],
            ["migrate", export, "--into", store],
            ["verify-migration", export, store],
        ] {
            let output = MemorySink()
            var console = Console(output: output, diagnostics: MemorySink(), isQuiet: true)
            #expect(Tool.run(words + ["--json"], in: &console) == .done)
            #expect(try member(output.text, "warnings", "raggedRow") == .number("5"))
            let messages = try member(output.text, "warningMessages", "raggedRow")
            guard case .array(let values)? = messages else {
                Issue.record("\(output.text)")
                continue
            }
            let texts = values.map { value in
                if case .string(let text) = value { text } else { "" }
            }
            #expect(texts.count == 5 && texts == texts.sorted())
            #expect(texts.allSatisfy { $0.hasPrefix("The row before line") })
        }
    }

    @Test func `a strict migration that is refused says why`() throws {
        let export = try ragged()
        let answer = tool("migrate", export, "--into", store, "--strict")
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains("(raggedRow 5); nothing was written."))
        let meaning = try #require(LegacyWarning.Kind.raggedRow.meaning)
        #expect(
            answer.diagnostics.contains("\n  raggedRow: 5, \(meaning)\n    The row before line")
        )
        #expect(answer.diagnostics.contains("\n    and 2 more\n"))
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func `what is lost of a damaged file is listed by migrate and its dry run`() throws {
        var bytes = try Data(
            contentsOf: RealmFixtures.own.appending(path: "music_tiny.realm")
        )
        let text = try #require(bytes.range(of: Data("YOASOBI".utf8)))
        bytes[text.lowerBound] = 0xff
        let export = directory.path("damaged.realm")
        try bytes.write(to: URL(filePath: export))
        let reason = "Lost: 1 object of RealmTrack.artist (2): A string is not UTF-8. (at byte "
        let info = tool("realm", "info", export, "--salvage").output
        let losses = info.split(separator: "\n").filter { $0.hasPrefix("Lost: ") }
        #expect(losses.count > 1)
        for mapping in ["music", "own"] {
            let store = directory.path("store-\(mapping)")
            let common = ["migrate", export, "--into", store, "--salvage", "--mapping", mapping]
            for words in [["--dry-run"], ["--strict"], ["--dry-run", "--json"], ["--json"]] {
                let output = MemorySink()
                let diagnostics = MemorySink()
                var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
                let isStrict = words == ["--strict"]
                #expect(
                    Tool.run(common + words, in: &console) == (isStrict ? .badData : .done)
                )
                let told = isStrict ? diagnostics.text : output.text
                #expect(told.contains(reason), "\(words) \(told)")
                for loss in losses { #expect(told.contains(loss), "\(words) \(loss)") }
            }
        }
    }

    @Test func `differences that are not listed are counted`() throws {
        func table(_ word: String) -> String {
            "id,text\n" + (1...1100).map { "\($0),\(word) \($0)\n" }.joined()
        }
        let export = try file("notes.csv", table("Note"))
        #expect(tool("migrate", export, "--into", store, "--quiet").outcome == .done)
        #expect(!tool("verify-migration", export, store).output.contains("more difference"))
        _ = try file("notes.csv", table("Other"))
        let text = tool("verify-migration", export, store)
        #expect(text.outcome == .no)
        #expect(
            text.output.contains("And 1,050 more differences. --json lists the first 1,000.\n")
        )
        #expect(
            text.output.contains(
                #"The text of notes "1" is "Note 1" where the export has "Other 1"."#
            ),
            "\(text.output.prefix(600))"
        )
        let json = tool("verify-migration", export, store, "--json").output
        #expect(try member(json, "moreDifferences") == .number("100"))
        guard case .array(let listed)? = try member(json, "differences") else {
            Issue.record("\(json.prefix(200))")
            return
        }
        #expect(listed.count == 1000)
    }

    @Test func `a column that an export lacks now is said, and its values stay`() throws {
        let export = try file("notes.csv", "id,text,mood\n1,A,calm\n2,B,wild\n")
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        _ = try file("notes.csv", "id,text\n1,A\n2,C\n")
        for words in [["--dry-run"], []] {
            let output = MemorySink()
            var console = Console(output: output, diagnostics: MemorySink(), isQuiet: true)
            #expect(Tool.run(["migrate", export, "--into", store] + words, in: &console) == .done)
            #expect(output.text.contains("vanishedProperty: 1, "), "\(output.text)")
            #expect(output.text.contains("The export has no mood of "))
        }
        let verified = tool("verify-migration", export, store)
        #expect(verified.outcome == .done && verified.output.contains("vanishedProperty: 1, "))
        #expect(
            verified.output.hasSuffix(
                "The store holds what the export says, and what earlier exports had besides.\n"
            )
        )
        #expect(tool("verify-migration", export, store, "--strict").outcome == .no)
        #expect(tool("migrate", export, "--into", store, "--strict").outcome == .badData)
    }

    @Test func `the log has the times that rows have in the store that they come from`() throws {
        let export = directory.path("default.store")
        let database = try SQLiteScratch(at: export)
        try database.execute(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Item', 0, 3), (16001, 'CHANGE', 0, 9), (16002, 'TRANSACTION', 0, 9);
            CREATE TABLE ZITEM(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZITEM VALUES(1, 1, 1, 'a'), (2, 1, 1, 'b'), (3, 1, 1, 'c');
            CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT);
            INSERT INTO ATRANSACTION VALUES(1, 593881375.5), (2, 593881377.5);
            CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
                ZTRANSACTIONID INTEGER);
            INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
                (0, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 2);
            """
        )
        database.close()
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        let both =
            #""sourceTimes":{"created":"2019-10-27T15:02:55.5Z","changed":"2019-10-27T15:02:57.5Z"}"#
        let one = #""sourceTimes":{"changed":"2019-10-27T15:02:57.5Z"}"#
        let all = tool("log", store, "--json").output
        #expect(all.contains(both) && all.contains(one))
        #expect(all.components(separatedBy: "sourceTimes").count == 3)
        // An entity's events have them, too, and no others beside them.
        let first = tool("log", store, "--model", "Item", "--id", "1", "--json").output
        #expect(first.contains(both) && !first.contains("annotated"))
        #expect(!tool("log", store, "--id", "3", "--json").output.contains("sourceTimes"))
        let text = tool("log", store, "--id", "1").output
        #expect(
            text.contains(
                "      made where it comes from: 2019-10-27T15:02:55.5Z\n"
                    + "      changed where it comes from: 2019-10-27T15:02:57.5Z\n"
            ),
            "\(text)"
        )
        #expect(tool("log", store, "--id", "nobody").output.isEmpty)
        // What somebody else calls so says no times.
        try {
            let opened = try Store.open(existing: store)
            defer { opened.close() }
            try opened.write {
                try $0.annotate(name: "migration.times", key: "x", payload: Array("no".utf8))
                try $0.put(EntityReference(model: "Item", id: "1"), values: ["name": .string("z")])
            }
        }()
        let last = tool("log", store, "--reverse", "--limit", "1", "--json")
        #expect(last.outcome == .done && !last.output.contains("sourceTimes"))
    }

    @Test func `a plan says what it would delete, and no events`() throws {
        let export = try file("notes.csv", "id,text\n1,A\n2,B\n")
        #expect(tool("migrate", export, "--into", store).outcome == .done)
        _ = try file("notes.csv", "id,text\n1,A\n")
        let plan = tool("migrate", export, "--into", store, "--dry-run").output
        #expect(plan.contains("would delete  1 notes\n"), "\(plan)")
        #expect(!plan.contains("events") && !plan.contains("\ndeleted"))
        let made = tool("migrate", export, "--into", store).output
        #expect(made.contains("deleted    1 notes\n") && made.contains("\nevents "), "\(made)")
    }

    @Test func `of an export of which nothing was read it is not said that its beginning is there`()
        throws
    {
        var bytes = try Data(contentsOf: RealmFixtures.own.appending(path: "music_tiny.realm"))
        let text = try #require(bytes.range(of: Data("YOASOBI".utf8)))
        bytes[text.lowerBound] = 0xff
        let export = directory.path("damaged.realm")
        try bytes.write(to: URL(filePath: export))
        let answer = tool("migrate", export, "--into", store)
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains(" Nothing was written. "))
        #expect(!FileManager.default.fileExists(atPath: store))
        #expect(!answer.diagnostics.contains("rollback"))
    }

    @Test func `a store that was made with another mapping gets an advice that can be followed`()
        throws
    {
        let export = RealmFixtures.own.appending(path: "music_tiny.realm").path
        #expect(tool("migrate", export, "--into", store, "--mapping", "own").outcome == .done)
        let answer = tool("migrate", export, "--into", store)
        #expect(answer.outcome == .badData && answer.diagnostics.contains("Say --mapping own"))
        #expect(tool("migrate", export, "--into", store, "--mapping", "own").outcome == .done)
    }
}
