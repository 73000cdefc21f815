import Testing

@testable import RealmFile

/// A small library, the truth of which realm-core's own dump tells.
struct MusicFileTests {
    private let realm: RealmReader

    init() throws {
        realm = try Fixtures.reader("music_tiny")
    }

    private func values(_ className: String, _ property: String) throws -> [RealmValue] {
        let realmClass = try #require(realm.class(named: className))
        var values: [RealmValue] = []
        try realmClass.forEachObject { object in
            values.append(try object.value(property))
            return true
        }
        return values
    }

    @Test func `a file says what it is`() throws {
        #expect(realm.formatVersion == 24)
        #expect(!realm.isStreamed && !realm.isEncrypted)
        let compact = try Fixtures.reader("music_tiny_compact")
        #expect(compact.formatVersion == 24)
        #expect(compact.isStreamed && !compact.isEncrypted)
        try realm.examine()
        try compact.examine()
    }

    @Test func `classes are told in the order of the file`() throws {
        let classes = realm.classes
        #expect(classes.map(\.name) == ["metadata", "RealmAlbum", "RealmPlaylist", "RealmTrack"])
        #expect(
            classes.map(\.tableName)
                == ["metadata", "class_RealmAlbum", "class_RealmPlaylist", "class_RealmTrack"]
        )
        #expect(classes.map(\.isModel) == [false, true, true, true])
        #expect(classes.map(\.tableKey) == [0, 1, 2, 3])
        #expect(classes.map(\.index) == [0, 1, 2, 3])
        #expect(classes.map(\.objectCount) == [1, 1, 2, 4])
        #expect(classes.allSatisfy { $0.kind == .topLevel })
        #expect(realm.class(named: "RealmTrack")?.index == 3)
        // A class of Realm's own is not one of the app's.
        #expect(realm.class(named: "metadata") == nil)
        #expect(realm.class(named: "Track") == nil)
    }

    @Test func `properties say what they hold`() throws {
        let track = try #require(realm.class(named: "RealmTrack"))
        #expect(
            track.properties.map(\.name) == [
                "id", "title", "artist", "duration", "genre", "releaseDate", "playCount",
                "isFavorite",
            ]
        )
        #expect(
            track.properties.map(\.type) == [
                .string, .string, .string, .double, .string, .timestamp, .integer, .boolean,
            ]
        )
        #expect(track.properties.filter(\.isOptional).map(\.name) == ["genre"])
        #expect(track.primaryKey?.name == "id")
        #expect(track.properties.allSatisfy { $0.collection == .none && $0.targetIndex == nil })
        let tracks = try #require(realm.class(named: "RealmPlaylist")?.property(named: "tracks"))
        #expect(tracks.type == .link && tracks.collection == .list && !tracks.isOptional)
        #expect(tracks.targetIndex == track.index)
        #expect(tracks.attributeBits == 32)
        #expect(try #require(realm.classes.first).primaryKey == nil)
        #expect(track.property(named: "ID") == nil)
    }

    @Test func `a list keeps its order and its repeats`() throws {
        let lists = try values("RealmPlaylist", "tracks").map { try ReadValue($0) }
        let track = try #require(realm.class(named: "RealmTrack")).index
        #expect(
            lists == [
                .list([2, 0, 2, 2, 1, 3].map { .link(RealmLink(classIndex: track, key: $0)) }),
                .list([]),
            ]
        )
    }

    @Test func `links lead to their objects`() throws {
        guard case .list(let links) = try values("RealmPlaylist", "tracks")[0] else {
            Issue.record("not a list")
            return
        }
        let titles = try links.values().compactMap { value -> RealmValue? in
            guard case .link(let link) = value else { return nil }
            return try realm.object(link)?.value("title")
        }
        let expected = ["夜に駆ける 😀", "Speak to Me", "夜に駆ける 😀", "夜に駆ける 😀", "", "nul\0inside"]
        #expect(titles == expected.map { .string($0) })
        #expect(try realm.object(RealmLink(classIndex: 3, key: 4)) == nil)
        #expect(try realm.object(RealmLink(classIndex: 3, key: -1)) == nil)
        #expect(try realm.object(RealmLink(classIndex: 3, key: .max)) == nil)
        #expect(try realm.object(RealmLink(classIndex: 4, key: 0)) == nil)
        #expect(try realm.object(RealmLink(classIndex: -1, key: 0)) == nil)
    }

    @Test func `dates keep their nanoseconds, before 1970 and beyond 32 bits too`() throws {
        #expect(
            try values("RealmTrack", "releaseDate") == [
                .timestamp(RealmTimestamp(seconds: 99_360_000, nanoseconds: 0)),
                .timestamp(RealmTimestamp(seconds: -2_147_483_649, nanoseconds: -999_999_999)),
                .timestamp(RealmTimestamp(seconds: 1_576_368_000, nanoseconds: 500_000_000)),
                .timestamp(RealmTimestamp(seconds: 0, nanoseconds: 1)),
            ]
        )
    }

    @Test func `texts keep a zero, an empty one and one that is not there`() throws {
        #expect(
            try values("RealmTrack", "title")
                == ["Speak to Me", "", "夜に駆ける 😀", "nul\0inside"].map { .string($0) }
        )
        #expect(
            try values("RealmTrack", "genre") == [
                .string("Rock"), .null, .string(""), .string("Jazz"),
            ]
        )
        #expect(try values("RealmPlaylist", "id") == [.string("p-1"), .string("")])
    }

    @Test func `doubles keep their bits`() throws {
        #expect(
            try values("RealmTrack", "duration")
                == [
                    0x4050_5999_9999_999a, 0, 0x4070_5035_3f7c_ed91, 0x7fe1_ccf3_85eb_c8a0,
                ].map { .double(Double(bitPattern: $0)) }
        )
    }

    /// The bits that stand for null in a property that may be null are a number in one that may not.
    @Test(
        arguments: [
            0x7ff8_0000_0000_00aa, 0x7ff8_0000_0000_0000, 0xfff8_0000_dead_beef,
            0x7ff0_0000_0000_0001,
        ] as [UInt64]
    )
    func `what is no number keeps its bits, too`(bits: UInt64) throws {
        var file = try Fixtures.bytes("music_tiny")
        let before: [UInt8] = [0x9a, 0x99, 0x99, 0x99, 0x99, 0x59, 0x50, 0x40]
        let place = try #require(file.ranges(of: before).first)
        for index in 0..<8 {
            file[place.lowerBound + index] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * index))
        }
        let changed = try RealmReader(bytes: file)
        try changed.examine()
        let track = try #require(try changed.class(named: "RealmTrack")?.object(withKey: 0))
        guard case .double(let number) = try track.value("duration") else {
            Issue.record("not a double")
            return
        }
        #expect(number.bitPattern == bits)
    }

    @Test func `links to objects that are not there are left out of lists`() throws {
        let realm = try Fixtures.reader("unresolved")
        try realm.examine()
        let playlist = try #require(try realm.class(named: "RealmPlaylist")?.object(withKey: 0))
        let track = try #require(realm.class(named: "RealmTrack")).index
        #expect(
            try playlist.read("tracks")
                == .list(
                    [0, 1, 2, 3, 5, 6, 7, 8, 9].map { .link(RealmLink(classIndex: track, key: $0)) }
                )
        )
    }

    @Test(arguments: ["music_tiny", "music_tiny_compact", "music_100", "unresolved"])
    func `an object by its key is the one that a walk meets`(name: String) throws {
        let realm = try Fixtures.reader(name)
        let content = try Content(realm)
        for (realmClass, expected) in zip(realm.classes, content.classes) {
            let keys = expected.objects.map(\.key)
            for object in expected.objects {
                let found = try #require(try realmClass.object(withKey: object.key))
                #expect(found.key == object.key && found.realmClass === realmClass)
                #expect(try realmClass.properties.map { try found.read($0) } == object.values)
            }
            for key in Set(-1...100).subtracting(keys) {
                #expect(try realmClass.object(withKey: key) == nil)
            }
            // The same with a memory of where the last one was, in an order that is not theirs.
            var lookup = realmClass.lookup()
            for object in expected.objects.sorted(by: { $0.key * 37 % 101 < $1.key * 37 % 101 }) {
                let found = try #require(try lookup.object(withKey: object.key))
                #expect(try realmClass.properties.map { try found.read($0) } == object.values)
                #expect(
                    try keys.contains(object.key + 1)
                        == (lookup.object(withKey: object.key + 1) != nil)
                )
            }
        }
        #expect(content.contradictions == [])
    }

    @Test func `what was written in one go says the same`() throws {
        let compact = try Content(Fixtures.reader("music_tiny_compact"))
        #expect(try compact == Content(realm))
    }

    @Test func `bytes in memory say the same as the file`() throws {
        let copy = try RealmReader(bytes: Fixtures.bytes("music_100"))
        #expect(try Content(copy) == Content(Fixtures.reader("music_100")))
    }

    @Test func `a walk ends when it is told to`() throws {
        let track = try #require(realm.class(named: "RealmTrack"))
        var keys: [Int64] = []
        try track.forEachObject { object in
            keys.append(object.key)
            return keys.count < 2
        }
        #expect(keys == [0, 1])
    }

    @Test func `what the caller throws comes out unchanged`() throws {
        struct Stop: Error {}
        let track = try #require(realm.class(named: "RealmTrack"))
        #expect(throws: Stop.self) { try track.forEachObject { _ in throw Stop() } }
        #expect(throws: Stop.self) { try realm.examine { _ in throw Stop() } }
    }

    @Test func `progress ends where the file ends`() throws {
        let realm = try Fixtures.reader("music_100")
        var steps: [RealmProgress] = []
        try realm.examine { steps.append($0) }
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.objectsRead <= $1.objectsRead })
        #expect(steps.last == RealmProgress(objectsRead: 94, objectCount: 94))
    }

    @Test func `a property that is not there is refused`() throws {
        let track = try #require(try realm.class(named: "RealmTrack")?.object(withKey: 0))
        #expect(try refusal { _ = try track.value("nothing") } == .invalidRequest)
        let metadata = try #require(try realm.classes[0].object(withKey: 0))
        let foreign = try #require(realm.class(named: "RealmTrack")?.property(named: "title"))
        #expect(try refusal { _ = try metadata.value(foreign) } == .invalidRequest)
    }

    @Test func `a file is known by its first 24 bytes`() throws {
        let bytes = try Fixtures.bytes("music_tiny")
        #expect(RealmReader.canRead(prefix: bytes.prefix(24)))
        #expect(RealmReader.canRead(prefix: bytes))
        #expect(!RealmReader.canRead(prefix: bytes.prefix(23)))
        #expect(!RealmReader.canRead(prefix: []))
        #expect(!RealmReader.canRead(prefix: try Fixtures.bytes("music_100_encrypted")))
    }
}
