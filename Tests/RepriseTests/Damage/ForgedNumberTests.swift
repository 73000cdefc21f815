import FaultSupport
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What bytes with a right checksum say is bounded where it is read (STO-70, STO-71).
@Suite struct ForgedNumberTests {
    /// Of the fields of the state record: where they lie, and numbers that no store has.
    @Test(arguments: [
        (32, 1 << 63), (32, .max), (40, 1 << 40), (120, .max), (128, .max), (136, 1 << 62), (136, .max), (180, 1 << 62),
        (180, .max), (188, 1 << 63 - 1), (188, 1 << 48),
    ] as [(Int, UInt64)])
    func `a state record with a number that no store has is damage`(_ offset: Int, _ number: UInt64) throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        let store = try Store.open(at: path, schema: FaultModels.schema)
        var workload = Workload(seed: 5)
        for _ in 0..<5 { try workload.next().run(on: store) }
        store.close()
        try StoreSurgery.setStateField(at: offset, byteCount: offset == 128 ? 4 : 8, to: number, of: path)
        let failure = code {
            let store = try Store.open(existing: path)
            defer { store.close() }
            try store.read { transaction in
                _ = try transaction.explain(RecordQuery(model: "item", sort: [SortKey(["amount"])]))
                _ = try transaction.explain(RecordQuery(model: "shelf", sort: [SortKey(["title"])]))
            }
        }
        #expect(failure == .corrupted)
    }

    private struct Gauge: Model {
        var id: ID
        var level: Double?
        var mark: Float?
        var day: Date?
        var text: String?
        var isOn: Bool?
        var words: [String]?
        var next: ID?

        static let schema = ModelSchema(
            "gauge",
            version: 1,
            Self.init,
            .id("id", \.id),
            .attribute("level", \.level, unique: true),
            .attribute("mark", \.mark, unique: true),
            .attribute("day", \.day, unique: true),
            .attribute("text", \.text),
            .attribute("isOn", \.isOn),
            .attribute("words", \.words),
            .toOne("next", \.next)
        )
    }

    private static func model() throws -> CompiledModel {
        try CompiledSchema(Schema(Gauge.self).description, position: 1, number: 1).model(named: "gauge")
    }

    /// A row of a gauge with one slot filled.
    private static func withRow(
        _ name: String,
        _ bytes: [UInt8],
        _ body: (CompiledModel, RowPayload) throws -> Void
    ) throws {
        let model = try model()
        let slot = try #require(model.attribute(named: name)?.slot)
        var writer = RowPayloadWriter()
        var row = writer.beginRow(slotCount: slot + 1)
        for _ in 0..<slot { writer.skipSlot(&row) }
        unsafe bytes.withUnsafeBytes { unsafe writer.append(bytes: $0) }
        writer.endSlot(&row)
        try writer.endRow(row)
        try body(model, unsafe RowPayload(writer.bytes))
    }

    @Test(arguments: [
        ("level", [1, 2, 3]), ("mark", []), ("day", [1, 2, 3, 4]), ("text", [0xFF]), ("isOn", [2]),
        ("words", [9, 0, 0, 0]), ("next", [1]), ("next", Array(repeating: 65, count: 8 + 241)),
    ] as [(String, [UInt8])])
    func `a value that is not of its attribute's type makes no row`(_ name: String, _ bytes: [UInt8]) throws {
        try Self.withRow(name, bytes) { model, payload in
            #expect(throws: ValueError.self) { try model.check(payload) }
        }
    }

    @Test func `values of their types make a row`() throws {
        let zeros = [UInt8](repeating: 0, count: 8)
        for (name, bytes) in [
            ("level", zeros), ("mark", [0, 0, 0, 0]), ("day", zeros), ("text", Array("Grüße".utf8)), ("isOn", [1]),
            ("words", [0, 0, 0, 0]), ("next", zeros + Array("me".utf8)),
        ] as [(String, [UInt8])] {
            try Self.withRow(name, bytes) { model, payload in try model.check(payload) }
        }
    }

    /// What once read eight bytes where there were fewer.
    @Test(arguments: ["level", "mark", "day"])
    func `a number that is too short is not compared with others`(_ name: String) throws {
        try Self.withRow(name, [1, 2]) { model, payload in
            let index = try #require(model.uniqueIndexes.first { $0.slots == [payload.slotCount - 1] })
            #expect(throws: ValueError.self) { _ = try UniqueClaim(index, payload) }
        }
    }
}
