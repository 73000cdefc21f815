import FaultSupport
import Testing

@testable import Reprise

/// Damage that would make an answer shorter or longer is told of: each question is answered as before the damage, or
/// `corrupted` (STO-33, QRY-32, QRY-35).
@Suite struct PassedOverTests {
    private let scratch: Scratch
    private var path: String { scratch("store") }

    /// Items with amounts 0, 10, 20 …, of which each name occurs in four.
    init() throws {
        scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        try store.write { transaction in
            try transaction.insert(Shelf(id: "shelf", title: "Shelf"))
            for number in 0..<40 {
                try transaction.insert(
                    Item(
                        id: Item.ID("item-\(number + 10)"),
                        name: "Name \(number % 10)",
                        amount: number * 10,
                        note: number % 2 == 0 ? "even note" : "odd note",
                        shelf: "shelf"
                    )
                )
            }
        }
    }

    private enum Answer: Equatable {
        case ids([String])
        case count(Int)
        case groups([AggregateGroup])
        case damage
    }

    private func answer(_ body: () throws -> Answer) throws -> Answer {
        do {
            return try body()
        } catch let error as StoreError where error.code == .corrupted {
            return .damage
        }
    }

    /// The answers to questions of every kind.
    private func answers(_ filters: [FilterExpression], sort: [SortKey] = []) throws -> [Answer] {
        let store = try Store.open(existing: path)
        defer { store.close() }
        return try filters.flatMap { filter in
            let query = RecordQuery(model: "item", filter: filter, sort: sort)
            return [
                try answer { .ids(try store.read { try $0.records(query, lists: false).map(\.id) }) },
                try answer { .ids(try store.read { try $0.fetchIDs(query) }) },
                try answer { .count(try store.read { try $0.count(query) }) },
                try answer {
                    .groups(try store.read { try $0.groups(AggregateQuery(query, by: [["note"]], [.count])) })
                },
            ]
        }
    }

    private func compare(_ found: [Answer], _ sound: [Answer]) {
        #expect(zip(found, sound).allSatisfy { $0 == .damage || $0 == $1 }, "\(found)")
        #expect(found.count == sound.count && found.contains(.damage))
    }

    @Test(arguments: [("even note", "odd  note"), ("Name 0", "Name 7"), ("shelf", "shelx"), ("note", "mote")])
    func `a row with a wrong checksum is never passed over by a filter`(_ text: String, _ other: String) throws {
        let note: FieldPath = ["note"]
        let filters: [FilterExpression] = [
            .contains(note, .string("even")), .contains(note, .string("odd")), .endsWith(note, "mote"),
            .not(.startsWith(note, "even")), .isNil(note), .not(.contains(["name"], .string("0"))),
            .and([.contains(["name"], .string("7")), .contains(note, .string("e"))]),
            .compare(["shelf"], .notEqual, .reference("shelf")),
        ]
        let sound = try answers(filters)
        try StoreSurgery.editRow([0, 1] + Array("item-10".utf8), at: path, mendsChecksum: false) { bytes in
            guard let place = bytes.firstRange(of: Array(text.utf8)) else { return }
            bytes.replaceSubrange(place, with: Array(other.utf8))
        }
        let found = try answers(filters)
        // All of these are scans, which meet the row.
        #expect(found.allSatisfy { $0 == .damage }, "\(found)")
        compare(found, sound)
    }

    private func amountKey(_ amount: Int, _ id: String) throws -> [UInt8] {
        let index = try #require(
            FaultModels.schema.description.model(named: "item")?.indexes.first { $0.slots == [1] }
        )
        var encoder = IndexKeyEncoder()
        encoder.begin(index: index.number, componentCount: 1)
        _ = try encoder.append(.int(amount), as: .int)
        return unsafe [UInt8](encoder.bytes) + Array(id.utf8)
    }

    /// One entry changed in its place, so that the order of the page is as it was.
    @Test(arguments: [45, 55, 50 - 9])
    func `an index entry that does not fit its row is not passed over`(_ other: Int) throws {
        let amount: FieldPath = ["amount"]
        func filters(_ value: Int) -> [FilterExpression] {
            [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual].map { .compare(amount, $0, .int(value)) }
                + [
                    .isIn(amount, [.int(value), .int(100)]),
                    .or([.compare(amount, .equal, .int(value)), .compare(["name"], .equal, .string("Name 1"))]),
                ]
        }
        let questions = filters(50) + filters(other)
        let sound = try answers(questions)
        let soundSorted = try answers(questions, sort: [SortKey(amount, descending: true)])
        try StoreSurgery.move(amountKey(50, "item-15"), to: amountKey(other, "item-15"), in: "index.a", at: path)
        compare(try answers(questions), sound)
        compare(try answers(questions, sort: [SortKey(amount, descending: true)]), soundSorted)
    }

    @Test func `an index entry whose row is not there is not passed over`() throws {
        let question: [FilterExpression] = [.compare(["amount"], .equal, .int(50))]
        try StoreSurgery.move([0, 1] + Array("item-15".utf8), to: nil, in: "rows.a", at: path)
        #expect(try answers(question).allSatisfy { $0 == .damage })
    }
}
