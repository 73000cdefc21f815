import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Values of Realm files that no row can hold, from files that are small.
struct LargeValueTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "large")
    }

    /// A file with one object, which has a list or a set of zeros.
    private func zeros(leafCount: Int, isSet: Bool = false) throws -> RealmStoreSource {
        var file = ForgedFile()
        let lists = file.references([file.zeros(leafCount: leafCount)])
        let bytes = file.finish(
            rows: file.references([1 << 1 | 1, lists]),
            type: 0,
            attributes: isSet ? 128 : 32
        )
        let path = directory.path("zeros.realm")
        try Data(bytes).write(to: URL(filePath: path))
        return try RealmStoreSource(path: path)
    }

    /// What a row would take of a zero: its length and itself.
    private static let elementByteCount = 12

    @Test func `a list that a row can hold arrives`() throws {
        let source = try zeros(leafCount: 3)
        let library = try TemporaryLibrary(for: source)
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.warningCounts.isEmpty)
        let records = try library.store.read { try $0.records(RecordQuery(model: "Forged")) }
        #expect(records.count == 1)
        #expect(records.first?["property"] == .list(Array(repeating: .int(0), count: 3000)))
    }

    /// Of twenty million zeros only as many are read as make the store refuse the record.
    @Test func `a list that no row can hold is not read to its end, and its record is refused`()
        throws
    {
        let source = try zeros(leafCount: 20_000)
        let library = try TemporaryLibrary(for: source)
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.warningCounts == [.refusedRecord: 1])
        let records = try library.store.read { try $0.records(RecordQuery(model: "Forged")) }
        #expect(records.isEmpty)
        guard case .list(let values)? = try Readout(source).records.first?.fields.first?.value
        else {
            Issue.record("There is no list.")
            return
        }
        #expect(values.count == rowByteCountMax / Self.elementByteCount + 1)
    }

    /// Zeros are one element of a set: of a part of them a store might make what all of them would not be.
    @Test func `a set that no row can hold is left out`() throws {
        let readout = try Readout(zeros(leafCount: 6000, isSet: true))
        #expect(readout.records.first?.fields.isEmpty == true)
        #expect(readout.warnings.map(\.kind) == [.valueOutOfRange])
    }
}
