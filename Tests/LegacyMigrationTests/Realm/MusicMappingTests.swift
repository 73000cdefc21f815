import LegacyMigration
import Testing

@testable import MusicVocabulary

@Suite struct MusicMappingTests {
    @Test(arguments: [
        ("RealmTrack", MusicModel.track), ("Track", .track), ("Song", .track),
        ("TrackObject", .track),
        ("CDTrackEntity", .track), ("songs", .track), ("RealmAlbum", .album),
        ("album_model", .album),
        ("RealmPlaylist", .playlist), ("PlaylistRecord", .playlist),
    ])
    func `classes are told by their names`(name: String, model: MusicModel) {
        #expect(MusicModel(className: name) == model)
    }

    @Test(arguments: ["Person", "Trackpad", "AlbumArt", "", "Realm", "PlaylistEntry"])
    func `other classes are none`(name: String) {
        #expect(MusicModel(className: name) == nil)
    }

    private func property(
        _ name: String,
        _ target: MusicModel? = nil,
        isCollection: Bool = false
    ) -> MusicClassMapping.Property {
        MusicClassMapping.Property(name: name, target: target, isCollection: isCollection)
    }

    @Test func `a property of the field's own name goes before one that could be meant`() {
        let mapping = MusicClassMapping(
            .track,
            [
                property("id"), property("name"), property("title"), property("fav"),
                property("cover"),
            ],
            identifier: 0
        )
        let fields = Dictionary(
            uniqueKeysWithValues: mapping.fields.map { ($0.field.name, $0.property) }
        )
        #expect(fields == ["title": 2, "isFavorite": 3])
        #expect(mapping.unmapped == ["name", "cover"])
    }

    @Test func `relations are told by where they lead, too`() {
        let album = MusicClassMapping(
            .album,
            [property("title"), property("items"), property("songs", .track, isCollection: true)],
            identifier: nil
        )
        #expect(album.members == 2 && album.unmapped == ["items"])
        let track = MusicClassMapping(
            .track,
            [property("album"), property("record", .album), property("Album", .album)],
            identifier: nil
        )
        #expect(track.owner == 2 && track.unmapped == ["album", "record"])
    }

    @Test func `values are made to fit, or refused with a reason`() {
        func fitted(_ value: LegacyValue?, _ kind: MusicField.Kind) -> String {
            switch MusicValue.fitted(value, to: kind) {
            case .value(let value): "\(value)"
            case .missing: "missing"
            case .refused(let kind, _): kind.rawValue
            }
        }
        #expect(fitted(.integer(3), .number) == "double(3.0)")
        #expect(fitted(.integer(.max), .number) == "valueOutOfRange")
        #expect(fitted(.double(3), .anyInteger) == "integer(3)")
        #expect(fitted(.double(3.5), .anyInteger) == "unexpectedType")
        #expect(fitted(.integer(101), .integer(least: 0, most: 100)) == "valueOutOfRange")
        #expect(fitted(.integer(1), .flag) == "bool(true)")
        #expect(fitted(.integer(2), .flag) == "unexpectedType")
        #expect(fitted(.integer(7), .text) == "string(\"7\")")
        #expect(fitted(.string("x"), .date) == "unexpectedType")
        #expect(fitted(nil, .text) == "missing")
    }
}
