import Reprise

/// Three versions of an app. Who skips the second one numbers otherwise what is new in the third.
enum SkippedVersion {
    struct One: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct Two: Model {
        var id: ID
        var name: String
        var size: Int?
        static let likes = Relationship<Two, Two>("likes")
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        ).toMany(likes)
    }

    /// What is new is declared before what the second version has brought.
    struct Three: Model, Equatable {
        var id: ID
        var name: String
        var colour: String?
        var size: Int?
        var shelf: Shelf.ID?
        static let hates = Relationship<Three, Three>("hates")
        static let likes = Relationship<Three, Three>("likes")
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour, indexed: true),
            .attribute("size", \.size),
            .toOne("shelf", \.shelf)
        ).toMany(hates).toMany(likes)
    }

    struct Shelf: Model, Equatable {
        var id: ID
        var label: String
        static let things = Relationship<Shelf, Three>("things", inverse: \.shelf)
        static let schema = ModelSchema("shelf", Self.init, .id("id", \.id), .attribute("label", \.label))
            .toMany(things)
    }

    struct PlainShelf: Model {
        var id: ID
        var label: String
        static let schema = ModelSchema("shelf", Self.init, .id("id", \.id), .attribute("label", \.label))
    }

    /// What another program has made of the first version.
    struct Coloured: Model {
        var id: ID
        var name: String
        var colour: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour)
        )
    }

    struct Owner: Model, Equatable {
        var id: ID
        var age: Int
        static let schema = ModelSchema("owner", Self.init, .id("id", \.id), .attribute("age", \.age))
    }

    /// The size is text by now, and is called otherwise.
    struct Four: Model, Equatable {
        var id: ID
        var name: String
        var colour: String?
        var extent: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour),
            .attribute("extent", \.extent)
        )
        .removed("likes", "hates", "shelf")
        .converting("extent", from: "size") { (size: Int?) in size.map { "\($0) cm" } }
    }

    struct Renamed: Model {
        var id: ID
        var name: String
        var width: Int?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("width", \.width, renamedFrom: "size")
        ).removed("likes")
    }

    /// The width is gone, and there is another size.
    struct Reused: Model, Equatable {
        var id: ID
        var name: String
        var size: Int?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        ).removed("width", "likes")
    }

    struct Counted: Model {
        var id: ID
        var name: String
        var count: Int
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("count", \.count, default: 0)
        )
        .removed("likes")
        .converting("count", from: "size") { (size: Int?) in size ?? 0 }
    }

    struct Five: Model {
        var id: ID
        var name: String
        var count: Int
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("count", \.count, default: 5)
        )
    }

    static let one = Schema(One.self)
    static let two = Schema(Two.self, Owner.self)
    static let otherTwo = Schema(PlainShelf.self, Coloured.self)
    static let three = Schema(Shelf.self, Three.self, Owner.self)
    static let four = Schema(Four.self, Owner.self, removed: ["shelf"])
}
