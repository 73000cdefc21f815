import Reprise

/// A to-do app before any of the thirteen changes.
enum Before {
    struct List: Model, Hashable {
        var id: ID
        var name: String
        static let schema = ModelSchema("list", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct Todo: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Place?
        var list: List.ID?
        var parent: Todo.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Todo.self, inverse: "parent")
    }

    struct Place: Embedded, Hashable {
        var street: String
        static let embedded = EmbeddedSchema(Self.init, .attribute("street", \.street))
    }

    struct Setting: Model, Hashable {
        var id: ID
        var value: String
        static let schema = ModelSchema("setting", Self.init, .id("id", \.id), .attribute("value", \.value))
    }

    static let schema = Schema(List.self, Todo.self, Setting.self)
}

/// Its to-dos with one change each. What is not declared differently is `Before`'s.
enum Changed {
    struct WithNote: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: WithNote.ID?
        var note: String?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent),
            .attribute("note", \.note)
        )
        .toMany("steps", of: WithNote.self, inverse: "parent")
    }

    struct WithStars: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: WithStars.ID?
        var stars = 1
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent),
            .attribute("stars", \.stars, indexed: true, default: 1)
        )
        .toMany("steps", of: WithStars.self, inverse: "parent")
    }

    struct Renamed: Model, Hashable {
        var id: ID
        var summary: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Renamed.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("summary", \.summary, renamedFrom: "title"),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Renamed.self, inverse: "parent")
    }

    /// Only Swift knows the other name.
    struct PropertyRenamed: Model, Hashable {
        var id: ID
        var summary: String
        var deadline: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var whole: PropertyRenamed.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.summary),
            .attribute("due", \.deadline),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.whole)
        )
        .toMany("steps", of: PropertyRenamed.self, inverse: "parent")
    }

    struct Indexed: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Indexed.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due, indexed: true),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Indexed.self, inverse: "parent")
    }

    struct Searchable: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Searchable.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Searchable.self, inverse: "parent")
        .searchable("title")
    }

    struct Cascading: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Cascading.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Cascading.self, inverse: "parent", onDelete: .cascade)
    }

    struct WithCity: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Place?
        var list: Before.List.ID?
        var parent: WithCity.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: WithCity.self, inverse: "parent")
    }

    struct Place: Embedded, Hashable {
        var street: String
        var city: String?
        static let embedded = EmbeddedSchema(
            Self.init,
            .attribute("street", \.street),
            .attribute("city", \.city)
        )
    }

    struct Reordered: Model, Hashable {
        var parent: Reordered.ID?
        var due: String?
        var list: Before.List.ID?
        var title: String
        var place: Before.Place?
        var id: ID
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .toOne("parent", \.parent),
            .attribute("due", \.due),
            .toOne("list", \.list),
            .attribute("title", \.title),
            .attribute("place", \.place),
            .id("id", \.id)
        )
        .toMany("steps", of: Reordered.self, inverse: "parent")
    }

    struct Raised: Model, Hashable {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Raised.ID?
        static let schema = ModelSchema(
            "todo",
            version: 2,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Raised.self, inverse: "parent")
    }

    struct Tag: Model, Hashable {
        var id: ID
        var name: String
        static let schema = ModelSchema(
            "tag",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, unique: true)
        )
        .toMany("lists", of: Before.List.self)
        static let lists = Relationship<Tag, Before.List>("lists")
    }
}

/// Three that do not say what they should.
enum Unsaid {
    /// The title has another name.
    struct Renamed: Model {
        var id: ID
        var summary: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: Renamed.ID?
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("summary", \.summary),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent)
        )
        .toMany("steps", of: Renamed.self, inverse: "parent")
    }

    /// Stars are required and have no default.
    struct WithStars: Model {
        var id: ID
        var title: String
        var due: String?
        var place: Before.Place?
        var list: Before.List.ID?
        var parent: WithStars.ID?
        var stars: Int
        static let schema = ModelSchema(
            "todo",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("due", \.due),
            .attribute("place", \.place),
            .toOne("list", \.list),
            .toOne("parent", \.parent),
            .attribute("stars", \.stars)
        )
        .toMany("steps", of: WithStars.self, inverse: "parent")
    }
}
