/// A field of the music library, and the names that apps give it.
package struct MusicField: Sendable, Equatable {
    /// What a field holds.
    package enum Kind: Sendable {
        case text
        /// A number with a fraction.
        case number
        /// A whole number within bounds.
        case integer(least: Int64, most: Int64)
        case flag
        case date
        /// Entities of another model, in order.
        case members
        /// One entity of another model.
        case owner

        static let anyInteger = Kind.integer(least: .min, most: .max)

        var isOwner: Bool {
            if case .owner = self { return true }
            return false
        }
    }

    package let name: String
    package let kind: Kind
    /// How else it is called: lower-case letters and digits only.
    let synonyms: [String]

    init(_ name: String, _ kind: Kind, _ synonyms: String...) {
        self.name = name
        self.kind = kind
        self.synonyms = synonyms
    }

    package static func == (left: MusicField, right: MusicField) -> Bool { left.name == right.name }

    /// Whether a property of this name is meant.
    func isMeant(by normalized: String) -> Bool {
        if normalized == name.lowercased() || synonyms.contains(normalized) { return true }
        let withoutUnit = DurationUnit.withoutUnit(normalized)
        return name == "duration" && withoutUnit != normalized && isMeant(by: withoutUnit)
    }
}

/// A model of the music library, and the names that apps give it.
package enum MusicModel: String, Sendable, CaseIterable {
    case track, album, playlist

    /// What a class that is meant is called, when what apps put before and after it is taken away.
    private var synonyms: Set<String> {
        switch self {
        case .track: ["track", "song", "musictrack", "mediaitem", "audiotrack"]
        case .album: ["album", "musicalbum", "release"]
        case .playlist: ["playlist", "musicplaylist", "songlist", "tracklist"]
        }
    }

    /// The model that a class of this name is meant to be.
    package init?(className: String) {
        var name = PropertyName.normalized(className)
        for prefix in ["realm", "legacy", "stored", "persisted", "managed", "db", "cd", "mo"]
        where name.hasPrefix(prefix) && name.count > prefix.count {
            name.removeFirst(prefix.count)
            break
        }
        for suffix in ["object", "model", "entity", "record"]
        where name.hasSuffix(suffix) && name.count > suffix.count {
            name.removeLast(suffix.count)
            break
        }
        if name.hasSuffix("s") { name.removeLast() }
        guard let model = Self.allCases.first(where: { $0.synonyms.contains(name) }) else {
            return nil
        }
        self = model
    }

    /// Albums come before their tracks, and these before the playlists that they are in.
    package static let recordOrder = [Self.album, .track, .playlist].map(\.rawValue)

    /// What its records may belong to: a track to an album, a playlist to a folder.
    var ownerModel: MusicModel { self == .track ? .album : .playlist }

    /// What it has, besides its identifier.
    package var fields: [MusicField] {
        switch self {
        case .track: Self.trackFields
        case .album: Self.albumFields
        case .playlist: Self.playlistFields
        }
    }

    private static let trackFields = [
        MusicField("title", .text, "name", "songtitle", "tracktitle", "songname", "trackname"),
        MusicField("artist", .text, "artistname", "performer", "singer"),
        MusicField("duration", .number, "length", "seconds", "playtime", "totaltime", "milliseconds"),
        MusicField("genre", .text, "genrename"),
        MusicField("releaseDate", .date, "released", "releasedat", "releasedon"),
        MusicField("year", .anyInteger, "releaseyear"),
        MusicField("trackNumber", .anyInteger, "trackno", "tracknum", "number"),
        MusicField("discNumber", .anyInteger, "discno", "disc", "disknumber"),
        MusicField("playCount", .anyInteger, "plays", "timesplayed"),
        MusicField("rating", .integer(least: 0, most: 100)),
        MusicField(
            "isFavorite",
            .flag,
            "favorite",
            "favourite",
            "isfavourite",
            "fav",
            "loved",
            "isloved",
            "liked"
        ),
        MusicField("addedAt", .date, "added", "dateadded", "addeddate", "createdat", "addedon"),
        MusicField("location", .text, "path", "filepath", "url", "fileurl", "file"),
        MusicField("kind", .text, "mediatype", "filetype"),
        MusicField("album", .owner, "albumid"),
    ]

    private static let albumFields = [
        MusicField("title", .text, "name", "albumtitle", "albumname"),
        MusicField("artist", .text, "artistname", "albumartist"),
        MusicField("tracks", .members, "songs", "items", "tracklist"),
    ]

    private static let playlistFields = [
        MusicField("name", .text, "title", "playlistname"),
        MusicField(
            "createdAt",
            .date,
            "created",
            "datecreated",
            "createddate",
            "creationdate",
            "addedat"
        ),
        MusicField("isFolder", .flag, "folder"),
        MusicField(
            "parent",
            .owner,
            "folderparent",
            "parentplaylist",
            "parentfolder",
            "parentid",
            "folderid"
        ),
        MusicField("tracks", .members, "songs", "items", "entries", "tracklist"),
    ]
}

/// Names of classes and properties, as far as they are compared.
package enum PropertyName {
    /// Letters and digits in lower case: `track_title`, `trackTitle` and `TrackTitle` are one name.
    package static func normalized(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars
        where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
            text += scalar.properties.lowercaseMapping
        }
        return text
    }
}
