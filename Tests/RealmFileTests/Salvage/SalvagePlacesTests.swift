import Testing

@testable import RealmFile

/// Damage in every sort of place, one at a time: what is left, and what is said of the rest.
struct SalvagePlacesTests {
    private let truth: SalvageTruth
    private var surgery: Surgery

    init() throws {
        truth = try SalvageTruth(Fixtures.bytes("music_100"))
        surgery = try Surgery(truth.bytes)
    }

    private func salvage(_ bytes: [UInt8]) throws -> RealmSalvage {
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        #expect(try truth.faults(of: salvage, bytes, isStructural: true) == [])
        #expect(try Content(salvage.realm).contradictions == [])
        #expect(!salvage.isComplete)
        return salvage
    }

    private func count(_ name: String, in salvage: RealmSalvage) -> Int {
        salvage.realm.class(named: name)?.objectCount ?? -1
    }

    private func count(_ name: String) throws -> Int {
        try #require(truth.content.classes.first { $0.name == name }).objects.count
    }

    /// The header of an array, with flags that no array has.
    private func broken(_ offset: Int) -> [UInt8] {
        var bytes = truth.bytes
        bytes[offset + 4] = 0xff
        return bytes
    }

    @Test func `a leaf of one property takes its objects with it, and names the property`() throws {
        let leaf = try surgery.leaf("RealmTrack", "playCount")
        let salvage = try salvage(broken(leaf.offset))
        #expect(count("RealmTrack", in: salvage) == 0)
        #expect(try count("RealmAlbum", in: salvage) == count("RealmAlbum"))
        let loss = try #require(salvage.losses.first { $0.kind == .objects })
        #expect(loss.className == "RealmTrack" && loss.property == "playCount")
        #expect(loss.count == (try count("RealmTrack")) && loss.offset == UInt64(leaf.offset))
        // Every album and playlist has lost its tracks, and is there.
        let links = salvage.losses.filter { $0.kind == .links }
        #expect(Set(links.compactMap(\.className)) == ["RealmAlbum", "RealmPlaylist"])
        #expect(links.allSatisfy { $0.property == "tracks" && $0.offset != nil })
    }

    @Test mutating func `a text that is not UTF-8 takes its object with it, and no other`() throws {
        let tracks = try #require(truth.content.classes.last)
        guard case .single(.string(let title)) = tracks.objects[3].values[1] else {
            Issue.record("no title")
            return
        }
        let place = try #require(truth.bytes.ranges(of: Array(title.utf8)).last)
        var bytes = truth.bytes
        bytes[place.lowerBound] = 0xff
        let salvage = try RealmReader(salvagingBytes: bytes).salvage()
        #expect(try truth.faults(of: salvage, bytes, isStructural: false) == [])
        #expect(try count("RealmTrack", in: salvage) == count("RealmTrack") - 1)
        let loss = try #require(salvage.losses.first)
        #expect(loss.kind == .objects && loss.count == 1 && loss.property == "title")
        #expect(loss.keys == tracks.objects[3].key...tracks.objects[3].key)
        #expect(loss.reason == "A string is not UTF-8." && loss.offset != nil)
    }

    @Test func `a list that cannot be read takes its object with it`() throws {
        let lists = try surgery.leaf("RealmPlaylist", "tracks")
        let row = try #require(try (0..<lists.count).first { try lists.reference(at: $0) != nil })
        let list = try #require(try lists.reference(at: row))
        let salvage = try salvage(broken(list))
        #expect(try count("RealmPlaylist", in: salvage) == count("RealmPlaylist") - 1)
        #expect(try count("RealmTrack", in: salvage) == count("RealmTrack"))
        #expect(try count("RealmAlbum", in: salvage) == count("RealmAlbum"))
        let loss = try #require(salvage.losses.first)
        #expect(loss.kind == .objects && loss.property == "tracks" && loss.offset == UInt64(list))
    }

    @Test mutating func `a list that nothing leads to any more is noticed`() throws {
        let lists = try surgery.leaf("RealmPlaylist", "tracks")
        let row = try #require(try (0..<lists.count).first { try lists.reference(at: $0) != nil })
        let byteCount = try #require(try lists.reference(at: row)).distance(to: 0)
        try surgery.set(row, of: lists, to: 0)
        let salvage = try RealmReader(salvagingBytes: surgery.bytes).salvage()
        #expect(byteCount != 0 && !salvage.isComplete)
        #expect(try Content(salvage.realm).contradictions == [])
        let doubt = try #require(salvage.losses.first { $0.kind == .doubtfulLinks })
        #expect(doubt.className == "RealmPlaylist" && doubt.property == "tracks")
        let unclaimed = try #require(salvage.losses.last)
        #expect(unclaimed.kind == .unclaimedBytes && unclaimed.count ?? 0 > 0)
    }

    @Test func `what targets know of links is needed for the links, and for nothing else`() throws {
        let origins = try surgery.origins(of: "RealmTrack", by: "RealmAlbum", "tracks")
        let salvage = try salvage(broken(origins.offset))
        for name in ["RealmTrack", "RealmAlbum", "RealmPlaylist"] {
            #expect(try count(name, in: salvage) == count(name))
        }
        let loss = try #require(salvage.losses.first)
        #expect(loss.kind == .origins && loss.className == "RealmTrack")
        #expect(loss.offset == UInt64(origins.offset))
        let doubtful = salvage.losses.filter { $0.kind == .doubtfulLinks }
        #expect(!doubtful.isEmpty && doubtful.allSatisfy { $0.className == "RealmAlbum" })
    }

    @Test func `the rows of a class`() throws {
        let root = try clusterRoot("RealmAlbum")
        let salvage = try salvage(broken(root))
        #expect(count("RealmAlbum", in: salvage) == 0)
        #expect(try count("RealmTrack", in: salvage) == count("RealmTrack"))
        let loss = try #require(salvage.losses.first { $0.className == "RealmAlbum" })
        #expect(loss.kind == .objects && loss.keys == 0...Int64.max && loss.offset == UInt64(root))
        // Its properties are known nevertheless.
        #expect(salvage.realm.class(named: "RealmAlbum")?.properties.count == 3)
    }

    @Test func `the keys of rows`() throws {
        let node = try surgery.source.node(at: try clusterRoot("RealmTrack"))
        let keys = try #require(try node.reference(at: 0))
        let salvage = try salvage(broken(keys))
        #expect(count("RealmTrack", in: salvage) == 0)
        let loss = try #require(salvage.losses.first { $0.className == "RealmTrack" })
        #expect(
            loss.kind == .objects && loss.keys == 0...Int64.max && loss.property == nil,
            "\(salvage.losses)"
        )
        #expect(loss.offset == UInt64(keys))
    }

    @Test func `the array of a class is lost with the class, and the others are read`() throws {
        let realm = try RealmReader(bytes: truth.bytes)
        let group = try GroupLayout(
            realm.storage.source,
            root: try #require(realm.storage.header.root)
        )
        let entry = try #require(group.entries.first { $0.name == "class_RealmAlbum" })
        let salvage = try salvage(broken(entry.reference))
        let loss = try #require(salvage.losses.first)
        #expect(loss.kind == .class && loss.className == "RealmAlbum")
        #expect(loss.offset == UInt64(entry.reference) && loss.keys == nil)
        #expect(salvage.realm.class(named: "RealmAlbum")?.properties.isEmpty == true)
        #expect(try count("RealmTrack", in: salvage) == count("RealmTrack"))
        #expect(try count("RealmPlaylist", in: salvage) == count("RealmPlaylist"))
        #expect(throws: RealmFileError.self) { try RealmReader(bytes: broken(entry.reference)) }
    }

    @Test func `without its root the version before is taken, and said so`() throws {
        let realm = try RealmReader(bytes: truth.bytes)
        let root = try #require(realm.storage.header.root)
        var older = truth.bytes
        older[23] ^= 1
        let expected = try Content(RealmReader(salvagingBytes: older).salvage().realm)
        let salvage = try RealmReader(salvagingBytes: broken(root)).salvage()
        #expect(salvage.newestFault?.offset == UInt64(root))
        #expect(!salvage.isComplete)
        #expect(try Content(salvage.realm) == expected)
        #expect(try Content(salvage.realm).contradictions == [])
    }

    @Test func `two objects with one primary key are both lost`() throws {
        let tiny = try Fixtures.bytes("music_tiny")
        var surgery = try Surgery(tiny)
        try surgery.replace("t-2", by: Array("t-1".utf8))
        let salvage = try RealmReader(salvagingBytes: surgery.bytes).salvage()
        #expect(salvage.realm.class(named: "RealmTrack")?.objectCount == 2)
        let losses = salvage.losses.filter { $0.kind == .objects }
        #expect(losses.count == 2 && losses.allSatisfy { $0.property == "id" && $0.offset != nil })
    }

    @Test func `a file that ends early is read as far as it goes`() throws {
        var partial = 0
        for end in stride(from: 4096, to: truth.bytes.count, by: 4096) {
            let cut = Array(truth.bytes.prefix(end))
            guard let realm = try? RealmReader(salvagingBytes: cut) else { continue }
            let salvage = try realm.salvage()
            #expect(try Content(salvage.realm).contradictions == [])
            guard salvage.newestFault == nil else { continue }
            #expect(try truth.faults(of: salvage, cut, isStructural: false) == [])
            if salvage.objectCount > 0 { partial += 1 }
        }
        #expect(partial > 0)
    }

    @Test func `what is no Realm file, and one without names of classes, is refused as ever`()
        throws
    {
        let text = Array("Not a Realm file, but long enough to be one.".utf8)
        #expect(try refusal { _ = try RealmReader(salvagingBytes: text) } == .notARealm)
        let realm = try RealmReader(bytes: Fixtures.bytes("music_tiny_compact"))
        let root = try #require(realm.storage.header.root)
        let names = try realm.storage.source.node(at: root).requiredReference(at: 0)
        var bytes = try Fixtures.bytes("music_tiny_compact")
        bytes[names + 4] = 0xff
        let error = try refusalError { _ = try RealmReader(salvagingBytes: bytes) }
        #expect(error?.code == .damaged && error?.offset == UInt64(names))
    }

    private func clusterRoot(_ name: String) throws -> Int {
        let realm = try RealmReader(bytes: truth.bytes)
        let index = try #require(realm.class(named: name)).index
        guard case .clusters(let root) = realm.storage.tables[index].rows else {
            throw RealmFileError(.unsupportedContent, "The rows lie in no clusters.")
        }
        return root
    }
}
