import Reprise
import TestSupport
import Testing

@testable import LegacyMigration

/// How many records wait to be tried again, and how much they may hold.
@Suite struct PostponedRecordsTests {
    private func shape() throws -> ClassShape {
        let company = InventedCompany()
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        let history = try SourceHistory(of: company.source.identity, in: library.store)
        let shape = try SourceShape(of: company.source, history, in: library.store.schema)
        return try #require(shape.classes["team"])
    }

    private func record(_ number: Int, name: String, _ shape: ClassShape) -> ShapedRecord {
        let fields = [
            LegacyField("name", .string(name)),
            LegacyField("members", .references(LegacyReferences(["a", "b"]))),
        ]
        let record = LegacyRecord(className: "team", key: "t\(number)", fields: fields)
        return ShapedRecord(record, as: shape, number: number, isPartial: false)
    }

    @Test func `of too many records those that waited longest are given up`() throws {
        let shape = try shape()
        let countMax = PostponedRecords.Bounds().countMax
        var records = PostponedRecords(PostponedRecords.Bounds())
        for number in 0..<(2 * countMax - 1) {
            #expect(records.append(record(number, name: "n", shape)).isEmpty)
        }
        let givenUp = records.append(record(2 * countMax - 1, name: "n", shape))
        #expect(givenUp.map(\.number) == Array(0..<countMax))
        #expect(records.count == countMax)
        #expect(records.takeAll().map(\.number) == Array(countMax..<(2 * countMax)))
        #expect(records.isEmpty)
    }

    @Test func `so are those of too large ones, but never the last`() throws {
        let shape = try shape()
        let mebibyte = String(repeating: "x", count: 1 << 20)
        let fitting = PostponedRecords.Bounds().byteCountMax >> 20
        var records = PostponedRecords(PostponedRecords.Bounds())
        var givenUp: [Int] = []
        for number in 0..<(5 * fitting) {
            givenUp += records.append(record(number, name: mebibyte, shape)).map(\.number)
            #expect(records.count <= 2 * fitting)
        }
        #expect(givenUp == Array(0..<(5 * fitting - records.count)))
        #expect(records.count >= fitting - 1)
        let huge = String(repeating: "x", count: 3 * PostponedRecords.Bounds().byteCountMax)
        givenUp += records.append(record(5 * fitting, name: huge, shape)).map(\.number)
        #expect(givenUp == Array(0..<(5 * fitting)))
        #expect(records.takeAll().map(\.number) == [5 * fitting])
    }

    @Test func `their lists wait by themselves`() throws {
        var records = PostponedRecords(PostponedRecords.Bounds())
        let record = record(0, name: "n", try shape())
        #expect(!record.lists.isEmpty)
        _ = records.append(record)
        let waiting = try #require(records.takeAll().first)
        #expect(waiting.lists.isEmpty)
        #expect(waiting.key == record.key && waiting.weight == record.weight)
    }
}
