import Reprise
import Testing

/// A declaration that adds to the schema of a store changes it (STO-81 to STO-83, STO-86).
@Suite struct SchemaChangeTests {
    private typealias One = FirstVersion
    private typealias Two = SecondVersion

    @Test func `what a new version adds is there, and older rows are as they were`() throws {
        let app = try AppStore()
        try app.fill(100)
        let before = try app.with(One.schema) { try $0.statistics() }
        try app.with(Two.schema) { store in
            let now = try store.statistics()
            #expect(now.digest == before.digest)
            #expect(now.commitCount == before.commitCount + 1)
            #expect(now.schemaNumber == 2)
            #expect(now.counts.map(\.count) == [100, 0])
            let note = try #require(try store.fetch(Two.Note.self, id: "n4"))
            #expect(note == Two.Note(id: "n4", title: "title 4", length: 4, email: "4@example.org"))
            try store.write { transaction in
                try transaction.insert(Two.Folder(id: "f", name: "blue"))
                try transaction.update(Two.Note.self, id: "n4") {
                    $0.color = "red"
                    $0.folder = "f"
                }
            }
            #expect(try store.read { try $0.entries(Two.Folder.notes, of: "f").map(\.target) } == ["n4"])
        }
        try app.expectSound()
    }

    @Test func `new indexes have the rows that were there, and are used`() throws {
        let app = try AppStore()
        try app.fill(2000)
        try app.with(Two.schema) { store in
            let sorted = FetchDescriptor<Two.Note>().where { $0.title == "title 3" }
            let explanation = try store.explain(sorted)
            #expect("\(explanation)".contains("index"))
            #expect(try store.count(sorted) == (0..<2000).count { $0 % 7 == 3 })
            #expect(try store.search(Two.Note.self, "title 5", limit: nil).count == (0..<2000).count { $0 % 7 == 5 })
            // The index of `length` is gone, and its rows are found without.
            #expect(try store.count(FetchDescriptor<Two.Note>().where { $0.length < 10 }) == 10)
            let taken = failure {
                try store.write {
                    try $0.insert(Two.Note(id: "new", title: "", length: 0, email: "4@example.org"))
                }
            }
            #expect(taken?.code == .uniqueViolation)
        }
        try app.expectSound()
    }

    @Test func `numbers of indexes that are gone are never used again`() throws {
        let app = try AppStore()
        try app.fill(10)
        func numbers<M: Model>(_ type: M.Type) throws -> [UInt16] {
            try app.with(Schema(M.self)) { store in
                let model = try #require(try store.schema.models.first)
                return model.indexes.map(\.number) + (model.search.map { [$0.number] } ?? [])
            }
        }
        #expect(try numbers(One.Note.self) == [1])
        #expect(try numbers(Words.self) == [1, 2])
        #expect(try numbers(NoWords.self) == [1])
        #expect(try numbers(MoreWords.self) == [1, 3])
        try app.expectSound()
    }

    private struct Words: Model {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        static let schema = SchemaChangeTests.note(2, Self.init, \.id, \.title, \.length, \.email).searchable("title")
    }

    private struct NoWords: Model {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        static let schema = SchemaChangeTests.note(3, Self.init, \.id, \.title, \.length, \.email)
    }

    private struct MoreWords: Model {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        static let schema = SchemaChangeTests.note(4, Self.init, \.id, \.title, \.length, \.email)
            .searchable("title", "email")
    }

    /// The first version's declaration, for other types.
    private static func note<M: Model>(
        _ version: Int,
        _ make: @escaping @Sendable (M.ID, String, Int, String?) -> M,
        _ id: any KeyPath<M, M.ID> & Sendable,
        _ title: any KeyPath<M, String> & Sendable,
        _ length: any KeyPath<M, Int> & Sendable,
        _ email: any KeyPath<M, String?> & Sendable
    ) -> ModelSchema<M> {
        ModelSchema(
            "note",
            version: version,
            make,
            .id("id", id),
            .attribute("title", title),
            .attribute("length", length, indexed: true),
            .attribute("email", email)
        )
    }

    @Test func `required becomes optional, and optional required where every row has a value`() throws {
        let app = try AppStore()
        try app.fill(30)
        try app.with(LooseVersion.schema) { store in
            try store.write { try $0.insert(LooseVersion.Note(id: "x", title: "", length: nil, email: "x")) }
            #expect(try store.fetch(LooseVersion.Note.self, id: "n7")?.length == 7)
        }
        try app.expectSound()
        let other = try AppStore()
        try other.fill(30)
        let missing = failure { try other.with(StrictVersion.schema) { _ in } }
        #expect(missing?.code == .invalidValue)
        #expect(
            missing?.message
                == "note.email cannot become required: n0, n12, n15, n18, n21, n24, n27, n3, n6, n9 have no value."
        )
        // Nothing was changed.
        try other.with(FirstVersion.schema) { store in
            #expect(try store.statistics().schemaNumber == 1)
            try store.write { transaction in
                for number in stride(from: 0, to: 30, by: 3) {
                    try transaction.update(One.Note.self, id: .init("n\(number)")) { $0.email = "e\(number)" }
                }
            }
        }
        let strict = try other.with(StrictVersion.schema) {
            try $0.fetch(StrictVersion.Note.self, id: "n3")
        }
        #expect(strict?.email == "e3")
        try other.expectSound()
    }

    @Test func `values that another row has too forbid a unique index, and are named`() throws {
        let app = try AppStore()
        try app.fill(30)
        try app.with(One.schema) { store in
            try store.write { transaction in
                for number in 0..<14 {
                    try transaction.update(One.Note.self, id: .init("n\(number)")) { $0.email = "same" }
                }
            }
        }
        let head = try app.with(One.schema) { try $0.statistics().head }
        let error = failure { try app.with(Two.schema) { _ in } }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.message.hasPrefix("note.email cannot become unique: n1 like n0, n10 like n0, ") == true)
        #expect(error?.message.hasSuffix(" and 3 more have the same values.") == true)
        #expect(try app.with(One.schema) { try $0.statistics().head } == head)
        try app.expectSound()
    }

    @Test func `long values that begin alike are told apart`() throws {
        let app = try AppStore()
        try app.fill(0)
        let long = String(repeating: "x", count: 1000)
        try app.with(One.schema) { store in
            try store.write { transaction in
                for number in 0..<5 {
                    try transaction.insert(
                        One.Note(id: .init("n\(number)"), title: "", length: 0, email: long + "\(number % 4)")
                    )
                }
            }
        }
        let error = failure { try app.with(Two.schema) { _ in } }
        #expect(error?.message == "note.email cannot become unique: n4 like n0 has the same values.")
        try app.with(One.schema) { store in
            try store.write { _ = try $0.delete(One.Note.self, id: "n4") }
        }
        try app.with(Two.schema) { _ in }
        try app.expectSound()
    }

    @Test func `fields that are added at the end of an embedded struct are nil in older values`() throws {
        let app = try AppStore()
        try app.with(Schema(Place1.self)) { store in
            try store.write {
                let others = [Spot1(x: 3, y: nil)]
                try $0.insert(
                    Place1(id: "a", at: Spot1(x: 1, y: 2), others: others, named: ["n": Spot1(x: 4, y: 5)])
                )
            }
        }
        try app.with(Schema(Place2.self)) { store in
            let place = try #require(try store.fetch(Place2.self, id: "a"))
            #expect(place.at == Spot2(x: 1, y: 2, z: nil))
            #expect(place.others == [Spot2(x: 3, y: nil, z: nil)])
            #expect(place.named == ["n": Spot2(x: 4, y: 5, z: nil)])
            try store.write { _ = try $0.update(Place2.self, id: "a") { $0.at.z = 7 } }
        }
        // Older code would write the struct without what it does not know.
        #expect(failure { try app.with(Schema(Place1.self)) { _ in } }?.code == .newerSchema)
        let place = try app.with(Schema(Place2.self)) { try $0.fetch(Place2.self, id: "a") }
        #expect(place?.at.z == 7)
        try app.expectSound()
    }

    private struct Spot1: Embedded, Hashable {
        var x: Int
        var y: Int?
        static let embedded = EmbeddedSchema(Self.init, .attribute("x", \.x), .attribute("y", \.y))
    }

    private struct Spot2: Embedded, Hashable {
        var x: Int
        var y: Int?
        var z: Int?
        static let embedded = EmbeddedSchema(
            Self.init,
            .attribute("x", \.x),
            .attribute("y", \.y),
            .attribute("z", \.z)
        )
    }

    private struct Place1: Model {
        var id: ID
        var at: Spot1
        var others: [Spot1]
        var named: [String: Spot1]
        static let schema = ModelSchema(
            "place",
            Self.init,
            .id("id", \.id),
            .attribute("at", \.at),
            .attribute("others", \.others),
            .attribute("named", \.named)
        )
    }

    private struct Place2: Model {
        var id: ID
        var at: Spot2
        var others: [Spot2]
        var named: [String: Spot2]
        static let schema = ModelSchema(
            "place",
            Self.init,
            .id("id", \.id),
            .attribute("at", \.at),
            .attribute("others", \.others),
            .attribute("named", \.named)
        )
    }

    @Test func `one-to-one relationships and models in another order are the same schema`() throws {
        let app = try AppStore()
        try app.with(Schema(Driver.self, Car.self)) { store in
            try store.write { transaction in
                try transaction.insert(Driver(id: "d", car: nil))
                try transaction.insert(Car(id: "c", driver: "d"))
            }
        }
        let (car, number) = try app.with(Schema(Car.self, Driver.self)) { store in
            (try store.fetch(Driver.self, id: "d")?.car, try store.statistics().schemaNumber)
        }
        #expect(car == "c")
        #expect(number == 1)
        try app.expectSound()
    }

    private struct Driver: Model {
        var id: ID
        var car: Car.ID?
        static let schema = ModelSchema("driver", Self.init, .id("id", \.id), .toOne("car", \.car, inverse: "driver"))
    }

    private struct Car: Model {
        var id: ID
        var driver: Driver.ID?
        static let schema = ModelSchema("car", Self.init, .id("id", \.id), .toOne("driver", \.driver))
    }
}
