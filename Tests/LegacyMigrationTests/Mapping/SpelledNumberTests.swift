import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

/// What a mapping takes for a number or a truth value of what an export has as texts.
@Suite struct SpelledNumberTests {
    private func tracks(_ rows: String) throws -> (values: [String: [String: Value]], MigrationReport) {
        let json = """
            {"target": "music", "classes": {"t": {"model": "track", "fields": \
            {"name": "title", "secs": "duration", "no": "trackNumber", "liked": "isFavorite"}}}}
            """
        let text = "id,name,secs,no,liked\n" + rows
        let directory = try TemporaryDirectory(named: "mapping")
        let path = directory.path("t.csv")
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let source = try MappedSource(CSVSource(path: path), RecordMapping(json: Array(json.utf8)))
        let library = try TemporaryLibrary()
        let report = try Migrator(replacing: source, store: library.store).run()
        var values: [String: [String: Value]] = [:]
        try library.store.read { state in
            try state.forEachRecord(RecordQuery(model: "track"), lists: false) { row in
                let title = row.values.first { $0.name == "title" }?.value
                guard case .string(let name)? = title else { return true }
                values[name] = Dictionary(uniqueKeysWithValues: row.values.map { ($0.name, $0.value) })
                return true
            }
        }
        return (values, report)
    }

    @Test func `customary spellings are taken where no digit is lost`() throws {
        let (values, report) = try tracks("1,a,+7.50,01,yes\n2,b,007,+7,0\n3,c,1e3,9,TRUE\n")
        #expect(report.warningCounts.isEmpty)
        #expect(values["a"]?["duration"] == .double(7.5) && values["a"]?["trackNumber"] == .int(1))
        #expect(values["a"]?["isFavorite"] == .bool(true) && values["b"]?["isFavorite"] == .bool(false))
        #expect(values["b"]?["duration"] == .double(7) && values["b"]?["trackNumber"] == .int(7))
        #expect(values["c"]?["duration"] == .double(1000) && values["c"]?["isFavorite"] == .bool(true))
    }

    @Test func `digits that a Double does not hold are counted, and what is no decimal number is refused`() throws {
        let rounded = "1,a,9007199254740993,1,true\n2,b,1e-400,1,true\n"
        let refused = "3,c,0x1p3,1,true\n4,d,1e999,1,true\n5,e,nan,1,true\n"
        let (values, report) = try tracks(rounded + refused + "6,f,2.50,0x10,true\n7,g,1,99999999999999999999,true\n")
        #expect(report.warningCounts[.roundedNumber] == 2)
        #expect(report.warningCounts[.unexpectedType] == 5)
        #expect(values["a"]?["duration"] == .double(9_007_199_254_740_992))
        #expect(values.count == 7 && ["c", "d", "e"].allSatisfy { values[$0]?["duration"] == nil })
        #expect(values["f"]?["trackNumber"] == nil && values["g"]?["trackNumber"] == nil)
    }
}
