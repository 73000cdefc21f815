import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords

/// Records that wait, in memory and beside it.
@Suite struct PostponedRecordsTests {
    private let memory = RecordMemory()

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

    private func all(_ records: PostponedRecords) throws -> [PostponedRecords.Waiting] {
        var all: [PostponedRecords.Waiting] = []
        while let next = try records.first(after: all.last?.number ?? -1) { all.append(next) }
        return all
    }

    @Test(arguments: [1, 7, 100])
    func `are there in the order of the export, whatever came first and however many fit`(
        countMax: Int
    ) throws {
        let shape = try shape()
        try seeded(UInt64(countMax)) { seed in
            let records = PostponedRecords(.init(countMax: countMax), in: memory)
            for number in (0..<50).shuffled(using: &seed) {
                let holder =
                    number % 2 == 0 ? nil : EntityReference(model: "team", id: "h\(number)")
                try records.append(
                    record(2 * number, name: "n\(number)", shape),
                    EntityReference(model: "team", id: "r\(number)"),
                    holder: holder
                )
            }
            #expect(records.count == 50)
            #expect(records.fitTogether == (countMax >= 50))
            #expect(memory.isExceeded == (countMax < 50))
            let found = try all(records)
            #expect(found.map(\.number) == (0..<50).map { 2 * $0 })
            for (number, waiting) in found.enumerated() {
                #expect(waiting.row.id == "r\(number)" && waiting.record.key == "t\(2 * number)")
                #expect(waiting.record.values.contains(.string("n\(number)")))
                #expect(waiting.holder?.id == (number % 2 == 0 ? nil : "h\(number)"))
                #expect(try records.waiting(at: 2 * number)?.row == waiting.row)
                #expect(try records.waiting(at: 2 * number + 1) == nil)
            }
        }
    }

    @Test func `large ones are put aside, but for the first`() throws {
        let shape = try shape()
        let mebibyte = String(repeating: "x", count: 1 << 20)
        let records = PostponedRecords(.init(byteCountMax: 1 << 19), in: memory)
        let row = EntityReference(model: "team", id: "r")
        try records.append(record(0, name: mebibyte, shape), row, holder: nil)
        #expect(!memory.isExceeded)
        try records.append(record(1, name: mebibyte, shape), row, holder: nil)
        #expect(memory.isExceeded)
        let values = try all(records).map(\.record.values)
        #expect(values.count == 2 && values[0] == values[1])
    }

    @Test func `their lists wait by themselves`() throws {
        let shape = try shape()
        let records = PostponedRecords(.init(countMax: 1), in: memory)
        for number in 0..<2 {
            let record = record(number, name: "n", shape)
            #expect(!record.lists.isEmpty)
            let row = EntityReference(model: "team", id: record.key)
            try records.append(record, row, holder: nil)
            let waiting = try #require(try records.waiting(at: number)).record
            #expect(waiting.lists.isEmpty)
            #expect(waiting.key == record.key && waiting.weight == record.weight)
        }
    }

    /// Every kind of value, at its edges.
    static let values: [Value?] = [
        nil, .null, .bool(true), .bool(false), .int(.min), .int(.max), .double(-0.0),
        .double(.nan), .double(Double(bitPattern: 0x7FF8_0000_0000_0123)), .float(.infinity),
        .float(Float(bitPattern: 0x7FC0_0001)), .string(""), .string("e\u{301}\u{0}😀"),
        .data(Data()), .data(Data([0, 255])), .date(Date(timeIntervalSinceReferenceDate: -0.1)),
        .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!), .decimal(0),
        .decimal(Decimal(sign: .minus, exponent: -127, significand: 1)),
        .decimal(Decimal(sign: .plus, exponent: 10, significand: 99)), .decimal(.nan),
        .decimal(Decimal.greatestFiniteMagnitude), .list([]), .list([.int(1), .list([.null])]),
        .set([.string("a"), .string("b")]), .map([.init("k", .set([])), .init("", .null)]),
        .embedded([.init("f", .map([]))]), .reference("id"),
    ]

    @Test(arguments: values)
    func `a value that is put aside is the same`(value: Value?) throws {
        var bytes = RecordBytes()
        try bytes.append(value)
        try bytes.append(Value.string("end"))
        var reader = RecordBytes.Reader(bytes.bytes)
        #expect(try reader.value() == value)
        #expect(try reader.value() == .string("end"))
        // Nothing is made of what ends too early.
        for count in 0..<bytes.bytes.count {
            var reader = RecordBytes.Reader(Array(bytes.bytes.prefix(count)))
            #expect(throws: (any Error).self) {
                _ = try reader.value()
                _ = try reader.value()
            }
        }
    }
}
