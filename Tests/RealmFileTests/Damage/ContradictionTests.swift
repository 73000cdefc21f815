import Testing

@testable import RealmFile

/// What an examination finds, one contradiction at a time.
struct ContradictionTests {
    private let file: [UInt8]
    private var surgery: Surgery

    init() throws {
        file = try Fixtures.bytes("music_tiny")
        surgery = try Surgery(file)
    }

    /// The message with which bytes are found unsound.
    private func fault(_ bytes: [UInt8]) throws -> String {
        let error = try #require(try Verdict(bytes).error)
        #expect(error.code == .damaged)
        return error.message
    }

    /// The elements of the first playlist's list of tracks.
    private func firstList() throws -> ArrayNode {
        let lists = try surgery.leaf("RealmPlaylist", "tracks")
        return try surgery.source.node(at: lists.requiredReference(at: 0))
    }

    @Test mutating func `a link that leads to another object`() throws {
        let list = try firstList()
        #expect(list.count == 6)
        try surgery.set(0, of: list, to: 1)
        #expect(try fault(surgery.bytes).contains("RealmPlaylist.tracks (6)"))
    }

    @Test mutating func `a link that leads nowhere`() throws {
        let file = try Fixtures.bytes("music_100")
        let realm = try RealmReader(bytes: file)
        let tracks = try #require(try Content(realm).classes.last)
        let missing = try #require(
            (0..<120).first { key in !tracks.objects.contains { $0.key == key } }
        )
        surgery = try Surgery(file)
        let lists = try surgery.leaf("RealmPlaylist", "tracks")
        let reference = try (0..<lists.count).compactMap { try lists.reference(at: $0) }.first
        let list = try surgery.source.node(at: try #require(reference))
        try #require(list.width >= 8)
        try surgery.set(0, of: list, to: missing)
        #expect(try fault(surgery.bytes).contains("RealmPlaylist.tracks (\(list.count))"))
    }

    @Test mutating func `a list that is missing`() throws {
        try surgery.set(0, of: try surgery.leaf("RealmPlaylist", "tracks"), to: 0)
        let message = try fault(surgery.bytes)
        #expect(message.contains("RealmPlaylist.tracks (0)") && message.contains("know of (6)"))
    }

    @Test mutating func `an origin that is missing`() throws {
        let origins = try surgery.origins(of: "RealmTrack", by: "RealmAlbum", "tracks")
        try #require(try origins.integer(at: 0) == 1)
        try surgery.set(0, of: origins, to: 0)
        let message = try fault(surgery.bytes)
        #expect(message.contains("RealmAlbum.tracks (2)") && message.contains("know of (1)"))
    }

    @Test mutating func `an origin that is another object`() throws {
        let origins = try surgery.origins(of: "RealmTrack", by: "RealmPlaylist", "tracks")
        // A number beside references is twice itself and one.
        try #require(try origins.integer(at: 0) == 1)
        try surgery.set(0, of: origins, to: 3)
        #expect(try fault(surgery.bytes).contains("RealmPlaylist.tracks (6)"))
    }

    @Test mutating func `links that changed places`() throws {
        let albums = try surgery.leaf("RealmAlbum", "tracks")
        let playlists = try surgery.leaf("RealmPlaylist", "tracks")
        let (album, playlist) = try (albums.integer(at: 0), playlists.integer(at: 0))
        try surgery.set(0, of: albums, to: playlist)
        try surgery.set(0, of: playlists, to: album)
        #expect(try fault(surgery.bytes).contains(".tracks"))
    }

    @Test mutating func `an array that is part of two things`() throws {
        let playlists = try surgery.leaf("RealmPlaylist", "tracks")
        try surgery.set(1, of: playlists, to: try playlists.integer(at: 0))
        #expect(try fault(surgery.bytes).hasPrefix("An array is part of two things"))
    }

    @Test mutating func `two objects with one primary key`() throws {
        try surgery.replace("t-2", by: Array("t-1".utf8))
        #expect(
            try fault(surgery.bytes) == "Two objects of class_RealmTrack have the same primary key."
        )
    }

    @Test mutating func `a text that is not UTF-8`() throws {
        try surgery.replace("YOASOBI", by: Array("YOASOB".utf8) + [0xff])
        #expect(try fault(surgery.bytes) == "A string is not UTF-8.")
    }

    @Test(arguments: ["genre", "artist", "title"])
    func `any text that is not UTF-8, in each layout`(property: String) throws {
        let file = try Fixtures.bytes("music_100")
        let realm = try RealmReader(bytes: file)
        let surgery = try Surgery(file)
        let leaf = try surgery.leaf("RealmTrack", property)
        switch property {
        case "genre": try #require(leaf.measure == .bytes)
        case "artist": try #require(leaf.hasReferences && !leaf.hasContext)
        default: try #require(leaf.hasReferences && leaf.hasContext)
        }
        var texts: Set<String> = []
        try #require(realm.class(named: "RealmTrack")).forEachObject { track in
            if case .string(let text) = try track.value(property) { texts.insert(text) }
            return true
        }
        // Some are ASCII, others are not.
        #expect(Set(texts.map { $0.utf8.allSatisfy { $0 < 0x80 } }) == [true, false])
        // Shorter ones stand for other things, too.
        for text in texts where text.utf8.count > 3 {
            var damaged = surgery
            try damaged.replace(text, by: text.utf8.dropLast() + [0xff])
            let message = try fault(damaged.bytes)
            #expect(message == "A string is not UTF-8.", "\(text)")
        }
    }

    @Test(arguments: [-2_147_483_648, -1_000_000_000, 1_000_000_000, 2_147_483_647] as [Int64])
    mutating func `a date with a second or more of nanoseconds`(nanoseconds: Int64) throws {
        let dates = try surgery.leaf("RealmTrack", "releaseDate")
        let parts = try surgery.source.node(at: dates.requiredReference(at: 1))
        try surgery.set(1, of: parts, to: nanoseconds)
        #expect(try fault(surgery.bytes) == "A date has \(nanoseconds) nanoseconds.")
    }

    /// The limit of what can be found: links are compared as a heap, and lists of them note no order.
    @Test mutating func `the order of a list is not examined`() throws {
        let list = try firstList()
        try surgery.set(0, of: list, to: 0)
        try surgery.set(1, of: list, to: 2)
        let content = try #require(try Verdict(surgery.bytes).content)
        let original = try Content(RealmReader(bytes: file))
        #expect(content != original && content.shape == original.shape)
    }
}
