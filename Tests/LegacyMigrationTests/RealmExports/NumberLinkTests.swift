import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigration

/// Links that `realm2json` prints as the bare numbers of objects without a primary key.
@Suite struct NumberLinkTests {
    private static let text = """
        {
        "RealmAlbum":[{"_key":0,"title":"A","artist":2,"tracks":[5,3,5]},\
        {"_key":1,"title":"B","artist":null,"tracks":[]}]
        ,"RealmArtist":[{"_key":0,"name":"x"},{"_key":2,"name":"y"}]
        ,"RealmTrack":[{"_key":3,"n":1},{"_key":5,"n":2}]
        }

        """

    private func key(_ className: String, _ number: Int) -> String {
        ExportPlan.recordKey(className: className, number: String(number))
    }

    @Test func `a property called as a class whose numbers are its objects is a link`() throws {
        let readout = try Realm2JSON.read(Self.text)
        let album = try #require(readout.record("RealmAlbum", key("RealmAlbum", 0)))
        #expect(album["artist"] == .reference(key("RealmArtist", 2)))
        #expect(readout.record("RealmAlbum", key("RealmAlbum", 1))?["artist"] == nil)
        #expect(
            readout.lists.first.map { Array($0.members) }
                == [5, 3, 5].map { key("RealmTrack", $0) }
        )
        #expect(readout.count(.guessedRelationship) == 2)
    }

    @Test func `what is guessed is migrated and verified as a relationship`() throws {
        try Realm2JSON.with(Self.text) { source in
            let library = try TemporaryLibrary(for: source)
            let report = try Migrator(replacing: source, store: library.store).run()
            #expect(report.warningCounts[.missingTarget] == nil)
            #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
            #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
            let targets = try library.store.read { state in
                try state.records(RecordQuery(model: "RealmAlbum")).map { $0.lists.map(\.targets) }
            }
            #expect(targets.flatMap { $0 }.map(\.count).max() == 3)
        }
    }

    @Test func `a number that is no object's makes numbers of all, and that is said`() throws {
        let text = Self.text.replacing("\"artist\":2", with: "\"artist\":1")
        let readout = try Realm2JSON.read(text)
        let album = try #require(readout.record("RealmAlbum", key("RealmAlbum", 0)))
        #expect(album["artist"] == .integer(1))
        #expect(readout.lists.count == 2 && readout.count(.guessedRelationship) == 1)
        let said = readout.warnings.filter { $0.message.contains("RealmAlbum.artist") }
        #expect(said.map(\.kind) == [.lossyFormat])
    }

    @Test func `numbers in what is called otherwise stay numbers, and are named`() throws {
        let text = Self.text.replacing("\"artist\"", with: "\"by\"")
            .replacing("\"tracks\"", with: "\"trackNumbers\"")
        let readout = try Realm2JSON.read(text)
        let album = try #require(readout.record("RealmAlbum", key("RealmAlbum", 0)))
        #expect(album["by"] == .integer(2))
        #expect(album["trackNumbers"] == .list([.integer(5), .integer(3), .integer(5)]))
        let said = try #require(readout.warnings.first { $0.message.contains("RealmAlbum.by") })
        #expect(said.message.contains("RealmAlbum.trackNumbers"), "\(said)")
    }

    @Test func `a number that is called as its own class is none of its objects, and another one may be`() throws {
        let readout = try Realm2JSON.read(
            """
            {
            "RealmTrack":[{"_key":0,"track":1,"nextTrack":1},{"_key":1,"track":0,"nextTrack":0}]
            }

            """
        )
        let track = try #require(readout.record("RealmTrack", key("RealmTrack", 0)))
        #expect(track["track"] == .integer(1))
        #expect(track["nextTrack"] == .reference(key("RealmTrack", 1)))
        let said = readout.warnings.filter { $0.message.contains("RealmTrack.track") }
        #expect(said.map(\.kind) == [.lossyFormat])
    }

    @Test func `of two classes that could be meant none is`() throws {
        let text = Self.text.replacing(
            "\"RealmTrack\"",
            with: "\"Artist\":[{\"_key\":0},{\"_key\":2}]\n,\"RealmTrack\""
        )
        let readout = try Realm2JSON.read(text)
        let album = try #require(readout.record("RealmAlbum", key("RealmAlbum", 0)))
        #expect(album["artist"] == .integer(2))
    }

    @Test func `with a schema nothing is guessed`() throws {
        let schema = """
            [{"name":"class_Artist","tableType":"TopLevel","properties":[{"name":"artist","type":"int"}]}]
            """
        let readout = try Realm2JSON.read("{\n\"Artist\":[{\"_key\":0,\"artist\":0}]\n}\n", schema: schema)
        #expect(readout.records.first?["artist"] == .integer(0))
        #expect(readout.count(.guessedRelationship) == 0 && readout.count(.lossyFormat) == 0)
    }

    @Test func `seeded links come out as they went in, wherever the objects are`() throws {
        for seed in 0..<20 {
            var seed = TestSupport.SeededGenerator(seed: UInt64(seed))
            let numbers = Set((0..<40).map { _ in Int(seed.below(90)) }).sorted()
            let wanted = (0..<30).map { _ in (0..<seed.below(6)).map { _ in numbers[seed.below(numbers.count)] } }
            let songs = numbers.map { "{\"_key\":\($0),\"title\":\"\($0)\"}" }.joined(separator: ",")
            let lists = wanted.enumerated()
                .map { "{\"_key\":\($0),\"songs\":[\($1.map(String.init).joined(separator: ","))]}" }
                .joined(separator: ",")
            let parts = ["\"Song\":[\(songs)]\n", "\"Mix\":[\(lists)]\n"]
            let text = "{\n" + (seed.once(in: 2) ? parts : parts.reversed()).joined(separator: ",") + "}\n"
            let readout = try Realm2JSON.read(text)
            #expect(readout.lists.map { Array($0.members) } == wanted.map { $0.map { key("Song", $0) } })
        }
    }

    @Test(arguments: [
        ("track", "Track", false, true), ("currentTrack", "RealmTrack", false, true),
        ("album_artist", "Artist", false, true), ("tracks", "Track", true, true),
        ("favoriteTracks", "TrackObject", true, true), ("stories", "Story", true, true),
        ("boxes", "Box", true, true), ("playListItems", "PlayListItem", true, true),
        ("tracks", "Track", false, false), ("trackCount", "Track", false, false),
        ("numberOfTracks", "Track", true, false), ("trackID", "Track", false, false),
        ("backtrack", "Track", false, false), ("item", "PlayListItem", false, false),
        ("", "Track", false, false), ("s", "Track", true, false),
    ])
    func `a property is called as a class`(
        property: String,
        className: String,
        isList: Bool,
        expected: Bool
    ) {
        let names = LinkNames.names(ofProperty: property, isList: isList)
        #expect(names.contains(LinkNames.name(ofClass: className)) == expected)
    }
}
