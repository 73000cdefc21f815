import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// A newer table, or newer lines of JSON, has its keys where an earlier one had them, whatever its new rows would say
/// by themselves (Specs/format/migration.md, "Decisions").
@Suite struct EarlierKeyTests {
    /// A file that is migrated, written anew, and migrated again.
    private final class Sequel {
        private let directory: TemporaryDirectory
        private let path: String
        private let library: TemporaryLibrary

        init(_ text: String, named name: String) throws {
            directory = try TemporaryDirectory(named: "tables")
            path = directory.path(name)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let source = try Self.source(path)
            library = try TemporaryLibrary(schema: Schema(source.schema))
            _ = try Migrator(source: source, store: library.store).run()
        }

        private static func source(_ path: String) throws -> any LegacySource {
            path.hasSuffix(".csv") ? try CSVSource(path: path) : try NDJSONSource(path: path)
        }

        /// Migrates what the file is now; plan, run and comparison agree, and once more writes nothing.
        func again(_ text: String) throws -> MigrationReport {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let source = try Self.source(path)
            let plan = try Migrator(source: source, store: library.store).plan()
            let report = try Migrator(source: source, store: library.store).run()
            #expect(plan.counts == report.counts && plan.warningCounts == report.warningCounts)
            let comparison = try MigrationVerifier(source: source, store: library.store).run()
            #expect(comparison.isEqual, "\(comparison.differences)")
            #expect(try Migrator(source: Self.source(path), store: library.store).run().eventCount == 0)
            return report
        }

        func choices(_ source: String) throws -> String {
            let payload = try library.store.read { state in
                try state.annotation(name: "migration.understood", key: source)?.payload
            }
            return String(decoding: try #require(payload), as: UTF8.self)
        }
    }

    private static let csv = "id,name\na,1\nb,2\nc,3\n"
    private static let lines = #"{"id":"a","v":1}"# + "\n" + #"{"id":"b","v":2}"# + "\n" + #"{"id":"c","v":3}"# + "\n"

    @Test func `rows keep their keys though most of the rows of a newer file repeat one`() throws {
        let csv = try Sequel(Self.csv, named: "t.csv")
        let rows = try csv.again(Self.csv + "a,4\na,5\na,6\n")
        #expect(rows.counts["t"]?.inserted == 3 && rows.counts["t"]?.deleted == 0)
        #expect(rows.warningCounts[.duplicateKey] == 3 && rows.warningCounts[.positionalKey] == nil)
        let json = try Sequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines + String(repeating: #"{"id":"a","v":4}"# + "\n", count: 3))
        #expect(objects.counts["t"]?.inserted == 3 && objects.counts["t"]?.deleted == 0)
        #expect(objects.warningCounts[.duplicateKey] == 3 && objects.warningCounts[.positionalKey] == nil)
    }

    @Test func `rows that had no keys get none though a column could be some now`() throws {
        let csv = try Sequel("id,name\na,1\na,2\na,3\n", named: "t.csv")
        let rows = try csv.again("id,name\na,1\na,2\na,3\nb,4\nc,5\nd,6\ne,7\n")
        #expect(rows.counts["t"]?.inserted == 4 && rows.counts["t"]?.deleted == 0)
        #expect(rows.warningCounts == [.positionalKey: 1])
        let some = String(repeating: #"{"id":"a","v":1}"# + "\n", count: 3)
        let json = try Sequel(some, named: "t.ndjson")
        let others = Self.lines.replacingOccurrences(of: "\"a\"", with: "\"d\"") + #"{"id":"e"}"#
        let objects = try json.again(some + others)
        #expect(objects.counts["t"]?.inserted == 4 && objects.counts["t"]?.deleted == 0)
        #expect(objects.warningCounts[.positionalKey] == 1)
    }

    @Test func `another column with a likelier name changes nothing`() throws {
        let csv = try Sequel("uuid,name\na,1\nb,2\n", named: "t.csv")
        let rows = try csv.again("id,uuid,name\n1,a,1\n2,b,2\n3,c,3\n")
        #expect(rows.counts["t"]?.inserted == 1 && rows.counts["t"]?.deleted == 0)
        let json = try Sequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines.replacingOccurrences(of: "{", with: #"{"_id":7,"#))
        #expect(objects.counts["t"]?.inserted == 0 && objects.counts["t"]?.deleted == 0)
    }

    @Test func `where the column of the keys is gone, that is a loss`() throws {
        let csv = try Sequel(Self.csv, named: "t.csv")
        #expect(try csv.again("key,name\na,1\nb,2\nc,3\n").warningCounts[.changedKey] == 1)
        let json = try Sequel(Self.lines, named: "t.ndjson")
        let objects = try json.again(Self.lines.replacingOccurrences(of: "\"id\"", with: "\"pk\""))
        #expect(objects.warningCounts[.changedKey] == 1 && objects.counts["t"]?.deleted == 0)
    }

    @Test func `an object without the member that names the classes leaves the others in theirs`() throws {
        let text = #"{"class":"a","id":1}"# + "\n" + #"{"class":"b","id":1}"# + "\n"
        let json = try Sequel(text, named: "t.ndjson")
        let report = try json.again(text + #"{"id":2}"# + "\n")
        #expect(report.warningCounts[.unknownClass] == 1)
        #expect(report.counts.values.allSatisfy { $0.deleted == 0 && $0.inserted == 0 })
    }

    @Test func `the log has these very words for it`() throws {
        let csv = try Sequel(Self.csv, named: "t.csv")
        #expect(try csv.choices("csv:t.csv") == #"{"migration":"m1","choices":[["key","member","id"]]}"#)
        let none = try Sequel("name\nx\n", named: "t.csv")
        #expect(try none.choices("csv:t.csv") == #"{"migration":"m1","choices":[["key","none"]]}"#)
        let json = try Sequel(#"{"class":"a","id":1}"# + "\n" + #"{"class":"b","v":1}"# + "\n", named: "t.ndjson")
        let choices = #"["class","member","class"],["key a","member","id"],["key b","none"]"#
        #expect(try json.choices("ndjson:t.ndjson") == #"{"migration":"m1","choices":[\#(choices)]}"#)
    }
}
