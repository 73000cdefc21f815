@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The schema of the golden store. It is for ever: the store in `Golden` was made with it.
enum GoldenModels {
    static let schema = Schema(Crate.self, Item.self, Lid.self)

    struct Size: Embedded, Equatable {
        var width: Double
        var note: String?
        static let embedded = EmbeddedSchema(
            Self.init,
            .attribute("width", \.width),
            .attribute("note", \.note)
        )
    }

    enum Kind: Int, StoredValue { case plain, fancy }

    struct Crate: Model, Equatable {
        var id: ID
        var name: String
        var lid: Lid.ID?

        static let schema = ModelSchema(
            "crate",
            version: 1,
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, unique: true),
            .toOne("lid", \.lid, inverse: "crate", onDelete: .cascade)
        )
        .toMany("items", of: Item.self, inverse: "crate", onDelete: .cascade)
        .toMany("marked", of: Item.self)

        static let items = Relationship<Crate, Item>("items")
        static let marked = Relationship<Crate, Item>("marked")
    }

    struct Lid: Model, Equatable {
        var id: ID
        var crate: Crate.ID?

        static let schema = ModelSchema(
            "lid",
            version: 1,
            Self.init,
            .id("id", \.id),
            .toOne("crate", \.crate, inverse: "lid")
        )
    }

    struct Item: Model, Equatable {
        var id: ID
        var title: String
        var count: Int = 0
        var weight: Double?
        var ratio: Float?
        var isNew: Bool = false
        var made: Date?
        var code: UUID?
        var price: Decimal?
        var raw: Data?
        var kind: Kind = .plain
        var tags: [String] = []
        var grades: [Int?] = []
        var colours: Set<String> = []
        var words: [String: Double?] = [:]
        var size: Size?
        var crate: Crate.ID?

        static let schema = ModelSchema(
            "item",
            version: 3,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true),
            .attribute("count", \.count, indexed: true),
            .attribute("weight", \.weight, indexed: true),
            .attribute("ratio", \.ratio, indexed: true),
            .attribute("isNew", \.isNew),
            .attribute("made", \.made, indexed: true),
            .attribute("code", \.code, indexed: true),
            .attribute("price", \.price, indexed: true),
            .attribute("raw", \.raw, indexed: true),
            .attribute("kind", \.kind),
            .attribute("tags", \.tags),
            .attribute("grades", \.grades),
            .attribute("colours", \.colours),
            .attribute("words", \.words),
            .attribute("size", \.size),
            .toOne("crate", \.crate)
        )
        .index("title", "count")
        .inverse("markedIn", of: Crate.self, "marked")
    }
}
