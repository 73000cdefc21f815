import Reprise

/// A guest who has at most one key, which says so too.
struct Guest: Model {
    var id: ID
    var key: RoomKey.ID?

    static let schema = ModelSchema("guest", Self.init, .id("id", \.id), .toOne("key", \.key, inverse: "guest"))
}

/// A key that at most one guest has.
struct RoomKey: Model {
    var id: ID
    var guest: Guest.ID?

    static let schema = ModelSchema("key", Self.init, .id("id", \.id), .toOne("guest", \.guest))
}
