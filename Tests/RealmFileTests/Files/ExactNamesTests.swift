import Testing

@testable import RealmFile

/// Names and keys that look the same and have other bytes are different ones to Realm.
struct ExactNamesTests {
    /// The same two letters, put together in two ways.
    private static let first = "\u{e9}e\u{301}"
    private static let second = "e\u{301}\u{e9}"

    @Test func `classes whose names look the same are two classes`() throws {
        #expect(Self.first == Self.second)
        var surgery = try Surgery(Fixtures.bytes("music_tiny"))
        try surgery.replace("class_RealmTrack", by: Array("class_Realm\(Self.first)".utf8))
        try surgery.replace("class_RealmAlbum", by: Array("class_Realm\(Self.second)".utf8))
        let realm = try RealmReader(bytes: surgery.bytes)
        try realm.examine()
        let plain = try Fixtures.reader("music_tiny")
        for (name, other) in [(Self.first, "RealmTrack"), (Self.second, "RealmAlbum")] {
            let properties = try #require(plain.class(named: other)).properties.map(\.name)
            #expect(realm.class(named: "Realm" + name)?.properties.map(\.name) == properties)
        }
        #expect(try RealmReader(salvagingBytes: surgery.bytes).salvage().isComplete)
    }

    @Test(.enabled(if: Fixtures.hasShared, "the larger Realm files are not here"))
    func `a dictionary may have keys that look the same`() throws {
        var surgery = try Surgery(Fixtures.sharedBytes("alltypes_300"))
        try surgery.replace(
            "Blue\0\0\0\u{3}Red\0\0\0\0\u{4}",
            by: Array("e\u{301}x\0\0\0\u{3}\u{e9}x\0\0\0\0\u{4}".utf8)
        )
        try RealmReader(bytes: surgery.bytes).examine()
        #expect(try RealmReader(salvagingBytes: surgery.bytes).salvage().isComplete)
    }
}
