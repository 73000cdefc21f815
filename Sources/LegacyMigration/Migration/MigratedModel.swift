import MusicLibrary
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A model of the music library that records of an export become.
protocol MigratedModel: Model {
    /// A row of the record's values. References name stored identifiers; see ``link(_:to:)``.
    ///
    /// - Parameter mismatch: called for each field whose value is of another type than it should be.
    init(_ record: LegacyRecord, id: String, mismatch: (String) throws -> Void) rethrows

    /// Whether both rows have the same bytes in the store: texts are compared by their UTF-8.
    func isSame(as other: Self) -> Bool

    /// Takes over from the row in the store what no export says.
    mutating func keep(from stored: Self)
}

extension MigratedModel {
    mutating func keep(from stored: Self) {}
}

extension Track: MigratedModel {
    init(_ record: LegacyRecord, id: String, mismatch: (String) throws -> Void) rethrows {
        self.init(id: ID(id), title: "")
        for field in record.fields {
            switch (field.name, field.value) {
            case ("title", .string(let value)): title = value
            case ("artist", .string(let value)): artist = value
            case ("duration", .double(let value)): duration = value
            case ("genre", .string(let value)): genre = value
            case ("releaseDate", .date(let value)): releaseDate = value
            case ("year", .integer(let value)): year = Int(value)
            case ("trackNumber", .integer(let value)): trackNumber = Int(value)
            case ("discNumber", .integer(let value)): discNumber = Int(value)
            case ("playCount", .integer(let value)): playCount = Int(value)
            case ("rating", .integer(let value)): rating = Int(value)
            case ("isFavorite", .bool(let value)): isFavorite = value
            case ("addedAt", .date(let value)): addedAt = value
            case ("location", .string(let value)): location = value
            case ("kind", .string(let value)): kind = value
            case ("album", .reference(let key)): album = Album.ID(key)
            default: try mismatch(field.name)
            }
        }
    }

    func isSame(as other: Track) -> Bool {
        title.hasSameBytes(as: other.title) && artist.hasSameBytes(as: other.artist)
            && duration?.bitPattern == other.duration?.bitPattern
            && genre.hasSameBytes(as: other.genre)
            && releaseDate == other.releaseDate && year == other.year
            && trackNumber == other.trackNumber && discNumber == other.discNumber
            && playCount == other.playCount && rating == other.rating
            && isFavorite == other.isFavorite && addedAt == other.addedAt
            && location.hasSameBytes(as: other.location) && kind.hasSameBytes(as: other.kind)
            && album == other.album
    }
}

extension Album: MigratedModel {
    init(_ record: LegacyRecord, id: String, mismatch: (String) throws -> Void) rethrows {
        self.init(id: ID(id), title: "")
        for field in record.fields {
            switch (field.name, field.value) {
            case ("title", .string(let value)): title = value
            case ("artist", .string(let value)): artist = value
            // The order of the tracks themselves says the same.
            case ("tracks", .references): break
            default: try mismatch(field.name)
            }
        }
    }

    func isSame(as other: Album) -> Bool {
        title.hasSameBytes(as: other.title) && artist.hasSameBytes(as: other.artist)
    }
}

extension Playlist: MigratedModel {
    init(_ record: LegacyRecord, id: String, mismatch: (String) throws -> Void) rethrows {
        self.init(id: ID(id), name: "")
        for field in record.fields {
            switch (field.name, field.value) {
            case ("name", .string(let value)): name = value
            case ("createdAt", .date(let value)): createdAt = value
            case ("isFolder", .bool(let value)): isFolder = value
            case ("parent", .reference(let key)): parent = ID(key)
            case ("tracks", .references): break
            default: try mismatch(field.name)
            }
        }
    }

    func isSame(as other: Playlist) -> Bool {
        name.hasSameBytes(as: other.name) && createdAt == other.createdAt
            && isFolder == other.isFolder && parent == other.parent
    }

    // iTunes does not know when a playlist was made.
    mutating func keep(from stored: Playlist) {
        createdAt = createdAt ?? stored.createdAt
    }
}

extension String {
    fileprivate func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
    fileprivate func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }
}
