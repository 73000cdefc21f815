import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Records that no row of a store can hold.
@Suite struct TooLargeRecordTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "doc", [("data", .data, true), ("next", .reference, true)])
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 1),
                source: .init(model: 1, name: "next", onDelete: .nullify),
                target: .init(model: 1, name: "previous", onDelete: .nullify)
            )
        ]
    )

    private func source(_ byteCounts: [Int]) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.records = byteCounts.enumerated().map { place, byteCount in
            LegacyRecord(
                className: "doc",
                key: "\(place)",
                fields: [
                    LegacyField("data", .data(Data(count: byteCount))),
                    LegacyField("next", .reference("\((place + 1) % byteCounts.count)")),
                ]
            )
        }
        return source
    }

    @Test func `a verification says of a record that the store cannot hold what the migration said`() throws {
        let small = source([1, 2, 3])
        let large = source([1, rowByteCountMax, 3])
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        // First it is not there at all, then it stays as it was.
        for source in [large, small, large] {
            let report = try Migrator(replacing: source, store: library.store).run()
            let verification = try MigrationVerifier(source: source, store: library.store).run()
            #expect(verification.warningCounts == report.warningCounts)
            #expect(verification.isEqual, "\(verification.differences)")
            let reasons = report.warnings.filter { $0.kind == .refusedRecord }
            #expect(verification.warnings.filter { $0.kind == .refusedRecord } == reasons)
            #expect(reasons.count == (source.records[1]["data"] == .data(Data(count: 2)) ? 0 : 1))
        }
    }
}
