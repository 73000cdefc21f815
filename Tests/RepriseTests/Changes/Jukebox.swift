import Reprise

/// An album with its tracks, which go with it.
struct Album: Model {
    var id: ID
    var title: String

    static let tracks = Relationship<Album, Track>("tracks", inverse: \.album, onDelete: .cascade)
    static let schema = ModelSchema("album", Self.init, .id("id", \.id), .attribute("title", \.title)).toMany(tracks)
}

struct Track: Model {
    var id: ID
    var title: String
    var rating: Int?
    var album: Album.ID?

    static let schema = ModelSchema(
        "track",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, unique: true),
        .attribute("rating", \.rating),
        .toOne("album", \.album)
    )
}

/// A list in which a track can stand several times.
struct Playlist: Model {
    var id: ID
    var name: String

    static let entries = Relationship<Playlist, Track>("entries")
    static let schema = ModelSchema("playlist", Self.init, .id("id", \.id), .attribute("name", \.name)).toMany(entries)
}

enum Jukebox {
    static let schema = Schema(Album.self, Track.self, Playlist.self)

    static func store(actor: String = "ada") throws -> Store {
        var configuration = Store.Configuration()
        configuration.actor = actor
        return try Store.temporary(schema, configuration: configuration)
    }

    /// A store with an album of three tracks, and a playlist of A B C A.
    static func filled() throws -> Store {
        let store = try store()
        try store.write(CommitContext(intent: "fill", actor: "setup")) { transaction in
            try transaction.insert(Album(id: "album", title: "Blue"))
            for name in ["A", "B", "C"] {
                try transaction.insert(Track(id: Track.ID(name), title: name, rating: 3, album: "album"))
            }
            try transaction.insert(Playlist(id: "list", name: "Mix"))
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["A", "B", "C", "A"])
        }
        return store
    }

    /// Who writes.
    static func by(_ actor: String, group: String = "") -> CommitContext {
        CommitContext(group: group, intent: "edit", actor: actor)
    }
}

extension Store {
    func digest() throws -> StateDigest { try read { $0.digest } }

    /// The identifiers in a playlist, with those of the entries.
    func entries(of playlist: Playlist.ID = "list") throws -> [EntryID] {
        try read { try $0.entries(Playlist.entries, of: playlist).map(\.id) }
    }

    func names(of playlist: Playlist.ID = "list") throws -> String {
        try entries(of: playlist).map(\.target).joined(separator: " ")
    }

    /// Puts a new track into the album, and into the playlist at an index.
    func insertTrack(named name: String, at index: Int) throws {
        try write { transaction in
            try transaction.insert(Track(id: Track.ID(name), title: name, album: "album"))
            try transaction.insert(Playlist.entries, of: "list", Track.ID(name), at: index)
        }
    }

    /// Moves an entry of the playlist, which has some, to another place.
    func moveEntry(_ random: inout some RandomNumberGenerator) throws {
        let count = try entries().count
        let (from, to) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
        try write { try $0.move(Playlist.entries, of: "list", fromOffsets: [from], toOffset: to) }
    }

    func tracks(of album: Album.ID = "album") throws -> String {
        try read { try $0.entries(Album.tracks, of: album).map(\.id.target).joined(separator: " ") }
    }
}
