import Foundation
import Reprise
import TestSupport
import Testing

/// Attributes that a tool has given a wider type (STO-106).
@Suite struct WideningTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path("app") }

    private enum Task {
        struct AsText: Model {
            var id: ID
            var prio: String?
            static let schema = ModelSchema("task", Self.init, .id("id", \.id), .attribute("prio", \.prio))
        }

        struct AsNumber: Model {
            var id: ID
            var prio: Int?
            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("prio", \.prio, indexed: true)
            )
        }

        /// Its function says something else than the rule.
        struct AsWords: Model {
            var id: ID
            var prio: String?
            static let schema = ModelSchema("task", Self.init, .id("id", \.id), .attribute("prio", \.prio))
                .converting("prio", from: "prio") { (prio: Int) in Optional("No. \(prio)") }
        }
    }

    /// A store of tasks with whole numbers, of which the last has none.
    private func make(_ numbers: [Int?] = [5, 0, nil], isUnique: Bool = false) throws -> Position {
        let attribute = AttributeDescription(slot: 0, name: "prio", type: .int, isOptional: true)
        let model = ModelDescription(
            number: 1,
            name: "task",
            version: 1,
            slotCount: 1,
            attributes: [attribute],
            indexes: [.init(number: 1, slots: [0], isUnique: isUnique)]
        )
        let schema = try Schema(SchemaDescription(models: [model], relations: []))
        let store = try Store.open(at: path, schema: schema)
        defer { store.close() }
        try store.write { transaction in
            for (place, number) in numbers.enumerated() {
                let value: Value = number.map { .int($0) } ?? .null
                _ = try transaction.put(EntityReference(model: "task", id: "t\(place)"), values: ["prio": value])
            }
        }
        return try store.read { $0.head }
    }

    private func with<R>(_ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(existing: path)
        defer { store.close() }
        return try body(store)
    }

    private func widen(_ store: Store, to type: ValueType) throws {
        var schema = try store.schema
        let isWider = schema.widen("prio", of: "task", to: type)
        #expect(isWider)
        try store.change(to: try Schema(schema))
    }

    private func set(_ id: String, _ value: Value, _ store: Store) throws {
        _ = try store.write { try $0.put(EntityReference(model: "task", id: id), values: ["prio": value]) }
    }

    private func values(_ store: Store) throws -> [Value] {
        try store.read { state in
            try state.records(RecordQuery(model: "task")).sorted { $0.id < $1.id }.map { $0["prio"] }
        }
    }

    private func expectSound() throws {
        try with { store in
            #expect(try store.verify().faults == [])
            let digest = try store.read { $0.digest }
            #expect(try store.replay().digest == digest)
            #expect(try store.verify().faults == [])
        }
    }

    @Test func `rows that stand are converted, and a rollback to before converts them again`() throws {
        // STO-106
        let before = try make()
        try with { store in
            try widen(store, to: .string)
            #expect(try values(store) == [.string("5"), .string("0"), .null])
            try set("t0", .string("high"), store)
            let head = try store.read { $0.head }
            try store.rollback(to: .position(before))
            #expect(try values(store) == [.string("5"), .string("0"), .null])
            try store.rollback(to: .position(head))
            #expect(try values(store) == [.string("high"), .string("0"), .null])
        }
        try expectSound()
        try with { store in
            try store.rollback(to: .position(before))
            let found = try store.read {
                try $0.records(RecordQuery(model: "task", filter: .compare(["prio"], .equal, .string("5")))).map(\.id)
            }
            #expect(found == ["t0"])
        }
        try expectSound()
    }

    @Test func `a program reads the wider type, and its function is not called`() throws {
        // STO-106
        let before = try make()
        try with { try widen($0, to: .string) }
        let store = try Store.open(at: path, schema: Schema(Task.AsWords.self))
        defer { store.close() }
        #expect(try store.fetch(Task.AsWords.self, id: "t0")?.prio == "5")
        try store.rollback(to: .position(before))
        #expect(try store.fetch(Task.AsWords.self, id: "t0")?.prio == "5")
        let past = try store.read(asOf: .position(before)) { try $0.fetch(Task.AsWords.self, id: "t0")?.prio }
        #expect(past == "5")
    }

    @Test func `code that knows the narrower type is too old`() throws {
        // STO-85, STO-106
        _ = try make()
        try with { try widen($0, to: .string) }
        let schema = Schema(Task.AsNumber.self)
        #expect(failure { _ = try Store.open(at: path, schema: schema) }?.code == .newerSchema)
    }

    @Test func `what was widened twice is widened twice again, and what was emptied between stays empty`() throws {
        // STO-106
        let before = try make()
        let between = try with { store in
            try widen(store, to: .double)
            #expect(try values(store) == [.double(5), .double(0), .null])
            try set("t1", .null, store)
            return try store.read { $0.head }
        }
        try with { store in
            try widen(store, to: .string)
            #expect(try values(store) == [.string("5.0"), .null, .null])
            try store.rollback(to: .position(between))
            #expect(try values(store) == [.string("5.0"), .null, .null])
            try store.rollback(to: .position(before))
            #expect(try values(store) == [.string("5.0"), .string("0.0"), .null])
        }
        try expectSound()
        let store = try Store.open(at: path, schema: Schema(Task.AsText.self))
        defer { store.close() }
        let past = try store.read(asOf: .position(between)) { state in
            try ["t0", "t1"].map { try state.fetch(Task.AsText.self, id: .init($0))?.prio }
        }
        #expect(past == ["5.0", nil])
    }

    @Test func `a whole number that no double is forbids the change, and nothing has happened`() throws {
        // STO-106
        let head = try make([(1 << 53) + 1])
        try with { store in
            #expect(failure { try widen(store, to: .double) }?.code == .invalidValue)
            #expect(try store.read { $0.head } == head)
            #expect(try values(store) == [.int((1 << 53) + 1)])
            try widen(store, to: .string)
            #expect(try values(store) == [.string("9007199254740993")])
        }
    }

    @Test func `a unique index goes over the wider values`() throws {
        // STO-106
        _ = try make([1, 2], isUnique: true)
        try with { store in
            try widen(store, to: .string)
            let error = failure { try set("t0", .string("2"), store) }
            #expect(error?.code == .uniqueViolation)
        }
        try expectSound()
    }

    @Test(arguments: [
        (Value.bool(true), ValueType.int, Value.int(1)), (.bool(true), .double, .double(1)),
        (.bool(false), .string, .string("false")), (.int(-7), .string, .string("-7")),
        (.double(5), .string, .string("5.0")), (.double(-0.25), .string, .string("-0.25")),
        (.double(0.0001), .string, .string("0.0001")), (.double(0.00001), .string, .string("1e-05")),
        (.double(1.5e20), .string, .string("1.5e+20")), (.double(0x1p53), .string, .string("9007199254740992.0")),
        (.double(.infinity), .string, .string("inf")),
        (.date(Date(timeIntervalSince1970: 1_704_164_645.5)), .string, .string("2024-01-02T03:04:05.5Z")),
        (.date(Date(timeIntervalSince1970: -1)), .string, .string("1969-12-31T23:59:59Z")),
        (.date(Date(timeIntervalSince1970: 951_782_400)), .string, .string("2000-02-29T00:00:00Z")),
        (.date(Date(timeIntervalSinceReferenceDate: 0.1)), .string, .string("2001-01-01T00:00:00.1Z")),
    ])
    func `each pair of types has one text`(value: Value, type: ValueType, wider: Value) {
        // STO-106, Specs/format/schema.md
        #expect(Widening.value(value, as: type) == wider)
    }

    @Test func `what has no value in a wider type is none, and other pairs have no rule`() {
        // STO-106
        #expect(Widening.value(.date(Date(timeIntervalSinceReferenceDate: 1e15)), as: .string) == nil)
        #expect(Widening.value(.int((1 << 53) + 1), as: .double) == nil)
        #expect(!Widening.exists(from: .string, to: .int) && !Widening.exists(from: .data, to: .string))
    }
}
