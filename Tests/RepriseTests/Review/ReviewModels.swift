import Reprise

/// Owns a many-to-many list and has a unique name.
struct Rack: Model, Equatable {
    var id: ID
    var name: String?

    static let schema = ModelSchema(
        "rack",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .toMany("volumes", of: Volume.self)

    static let volumes = Relationship<Rack, Volume>("volumes")
}

/// Stands in many shelves and in one box.
struct Volume: Model, Equatable {
    var id: ID
    var title: String?
    var box: Box.ID?

    static let schema = ModelSchema(
        "volume",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .toOne("box", \.box, inverse: "contents")
    )
}

struct Box: Model, Equatable {
    var id: ID

    static let schema = ModelSchema("box", Self.init, .id("id", \.id))
        .toMany("contents", of: Volume.self, inverse: "box")

    static let contents = Relationship<Box, Volume>("contents")
}

/// One to one with its own model, on two attributes.
struct Ring: Model, Equatable {
    var id: ID
    var next: Ring.ID?
    var previous: Ring.ID?

    static let schema = ModelSchema(
        "ring",
        Self.init,
        .id("id", \.id),
        .toOne("next", \.next, inverse: "previous"),
        .toOne("previous", \.previous)
    )
}

enum ReviewStore {
    static let schema = Schema(Rack.self, Volume.self, Box.self, Ring.self)
}
