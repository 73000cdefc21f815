import Foundation
import Reprise
import Synchronization
import TestSupport
import Testing

private enum Weekday: String, Codable, StoredValue, CaseIterable { case monday, tuesday, wednesday, thursday, friday }

private struct Repeating: CodableValue, Equatable {
    var days: Set<Weekday>
}

private struct Alarm: Model, Equatable {
    var id: ID
    var title: String
    var repeating: Repeating

    static let schema = ModelSchema(
        "alarm",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("repeating", \.repeating)
    )
}

/// What was stored by another version of a type.
@Suite struct ValuesOfOtherTypesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "values")
    }

    private var path: String { directory.path("store") }

    /// VAL-23. A `Set` is written in another order each time.
    @Test func `an equal set is no change`() throws {
        let store = try Store.temporary(Schema(Alarm.self))
        let alarm = Alarm(id: "a", title: "Up", repeating: Repeating(days: Set(Weekday.allCases)))
        try store.write { try $0.insert(alarm) }
        let head = try store.read { $0.head }
        for _ in 0..<20 {
            let again = Alarm(id: "a", title: "Up", repeating: Repeating(days: Set(Weekday.allCases.shuffled())))
            try store.write { try $0.save(again) }
        }
        #expect(try store.read { $0.head } == head)
        try store.write { try $0.update(Alarm.self, id: "a") { $0.repeating.days.remove(.monday) } }
        #expect(try store.fetch(Alarm.self, id: "a")?.repeating.days.count == 4)
    }

    private struct Loose: Model {
        var id: ID
        var text: String
        var number: Int

        static let schema = ModelSchema(
            "entry", Self.init, .id("id", \.id), .attribute("text", \.text), .attribute("number", \.number)
        )
    }

    private struct Place: CodableValue {
        var city: String
    }

    private struct Strict: Model {
        var id: ID
        var text: Place
        var number: Int8

        static let schema = ModelSchema(
            "entry", Self.init, .id("id", \.id), .attribute("text", \.text), .attribute("number", \.number)
        )
    }

    /// VAL-30, VAL-31.
    @Test func `a row whose value does not decode costs that row and says why`() throws {
        let before = try Store.open(at: path, schema: Schema(Loose.self))
        try before.write { transaction in
            try transaction.insert(Loose(id: "good", text: #"{"city":"Oslo"}"#, number: 1))
            try transaction.insert(Loose(id: "large", text: #"{"city":"Bonn"}"#, number: 500))
            try transaction.insert(Loose(id: "older", text: #"{"town":"Rome"}"#, number: 2))
        }
        before.close()
        let told = Told()
        let store = try Store.open(
            at: path,
            schema: Schema(Strict.self),
            configuration: Store.Configuration(unreadableRow: { told.add($0) })
        )
        defer { store.close() }
        #expect(try store.fetch(Strict.self).map(\.id) == ["good"])
        #expect(
            told.all.map(\.message) == [
                #"entry "large" cannot be read: its number is 500, which its Swift type does not have."#,
                #"entry "older" cannot be read: its text is "{"town":"Rome"}", which its Swift type does not have (it "#
                    + #"has no "city")."#,
            ]
        )
        let error = #expect(throws: StoreError.self) { try store.fetch(Strict.self, id: "large") }
        let row = EntityReference(model: "entry", id: "large")
        #expect(error?.cause == .unreadableValue(attribute: "number", value: .int(500), of: row))
        // Saved anew the row can be read again.
        try store.write { try $0.save(Strict(id: "large", text: Place(city: "Bonn"), number: 5)) }
        #expect(try store.fetch(Strict.self).count == 2)
    }

    private struct Mood: Model {
        enum Kind: String, StoredValue { case good, bad, other }

        var id: ID
        var kind: Kind

        static let schema = ModelSchema(
            "mood", Self.init, .id("id", \.id), .attribute("kind", \.kind, unknown: .other)
        )
    }

    private struct Word: Model {
        var id: ID
        var kind: String

        static let schema = ModelSchema("mood", Self.init, .id("id", \.id), .attribute("kind", \.kind))
    }

    /// VAL-32.
    @Test func `what stands for unknown raw values stands for them in groups`() throws {
        let before = try Store.open(at: path, schema: Schema(Word.self))
        try before.write { transaction in
            for (id, kind) in [("1", "good"), ("2", "meh"), ("3", "good")] {
                try transaction.insert(Word(id: Word.ID(id), kind: kind))
            }
        }
        before.close()
        let store = try Store.open(at: path, schema: Schema(Mood.self))
        defer { store.close() }
        #expect(try store.distinct(\Mood.kind) == [.good, .other])
        let groups = try store.group(FetchDescriptor<Mood>(), by: \.kind, .count)
        #expect(groups.map(\.0) == [.good, .other] && groups.map(\.1) == [2, 1])
    }

    /// VAL-23, VAL-32.
    @Test func `declarations that would lose values are refused`() {
        struct Listed: Model {
            var id: ID
            var kinds: [Mood.Kind]
            static let schema = ModelSchema(
                "listed", Self.init, .id("id", \.id), .attribute("kinds", \.kinds, unknown: [])
            )
        }
        struct Unique: Model {
            var id: ID
            var place: Place
            static let schema = ModelSchema(
                "unique", Self.init, .id("id", \.id), .attribute("place", \.place, unique: true)
            )
        }
        #expect { try Schema(validating: Listed.self) } throws: { ($0 as? SchemaError)?.code == .invalidDefault }
        #expect { try Schema(validating: Unique.self) } throws: { ($0 as? SchemaError)?.code == .invalidIndex }
    }

    /// STO-80. A type of which no value can be made needs one for the trial.
    @Test func `a default lets an initialiser be tried`() throws {
        struct Customer: Model {
            var last: String
            var first: String
            var place: Place
            var id: ID

            init(id: ID, first: String, last: String, place: Place) {
                (self.id, self.first, self.last, self.place) = (id, first, last, place)
            }

            static let schema = ModelSchema(
                "customer",
                Self.init,
                .id("id", \.id),
                .attribute("first", \.first),
                .attribute("last", \.last),
                .attribute("place", \.place, default: Place(city: ""))
            )
        }
        #expect(throws: Never.self) { try Schema(validating: Customer.self) }
    }

    private final class Told: Sendable {
        private let errors = Mutex<[StoreError]>([])
        var all: [StoreError] { errors.withLock { $0 } }
        func add(_ error: StoreError) { errors.withLock { $0.append(error) } }
    }
}
