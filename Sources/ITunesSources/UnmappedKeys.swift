import LegacyRecords

/// The keys of a kind of dictionary that have values and no field in the music library: each is a loss that is named
/// once.
struct UnmappedKeys {
    /// As a message names the dictionary.
    private let owner: String
    /// What says nothing of the music.
    private let bookkeeping: Set<String>
    private var named: Set<String> = []

    /// A hostile file may have a key of its own in every track.
    static let keyCountMax = 1000

    /// Of a track's dictionary.
    static var ofTracks: UnmappedKeys {
        UnmappedKeys(
            owner: "track",
            bookkeeping: [
                // Where in the folders of iTunes the file lies, for iTunes alone.
                "File Folder Count", "Library Folder Count",
                // Whether `Location` is a path or an address, which it says itself.
                "Track Type",
                // What Mac OS 9 kept beside a file in place of an extension.
                "File Creator", "File Type",
                // `Play Date UTC` as a number, in the time zone of a computer that is not named.
                "Play Date",
            ]
        )
    }

    /// Of a playlist's dictionary.
    static var ofPlaylists: UnmappedKeys {
        UnmappedKeys(
            owner: "playlist",
            bookkeeping: [
                // The number in this file alone.
                "Playlist ID",
                // True for every list.
                "All Items",
                // Of lists that iTunes makes by itself: whether it shows them, and which they are, as their names say.
                "Visible", "Music", "Movies", "TV Shows", "Podcasts", "Audiobooks", "Books", "iTunesU",
                "Purchased Music", "Party Shuffle",
            ]
        )
    }

    /// Says, the first time, that a value has no place.
    mutating func note(_ key: String, _ report: LibraryReport) throws {
        guard !bookkeeping.contains(key), named.count < Self.keyCountMax,
            named.insert(key).inserted
        else { return }
        try report.warn(.unmappedProperty) {
            "The music library has no field for \(owner).\(LibraryReport.quoted(key)); it was left out."
        }
    }
}
