public import ExportFormats
import LegacyRecords
import MusicLibrary
package import Reprise
import Synchronization

/// The tracks of a library by the places of their files, so that the entries of a playlist become tracks that are
/// there already.
///
/// ```swift
/// let playlist = try M3USource(path: "party.m3u8")
/// let source = try playlist.naming(LibraryLocations(in: store, of: playlist))
/// ```
///
/// With them is remembered what the library says of each track (title, artist, duration, genre, number and album), so
/// that a playlist that says something else is noticed. They take at most 144 MiB, and a temporary file beyond that.
public final class LibraryLocations: Sendable {
    private struct Tracks {
        let identifiers: RememberedMap<PlaceHash>
        let statements: RememberedMap<PlaceHash>

        init(_ memory: RecordMemory) {
            identifiers = RememberedMap(in: memory)
            statements = RememberedMap(in: memory)
        }
    }

    private static let progressCount = 4096

    /// What is known of the tracks, which any thread may ask for.
    private let tracks = Mutex(Tracks(RecordMemory()))
    /// Where the places are noted that are asked for; nil where they are looked up.
    private let noted: NamedPlaces?

    /// Those of no library, which note the places that are asked for.
    fileprivate init(noting places: NamedPlaces) {
        noted = places
    }

    /// - Parameters:
    ///   - places: the only ones that count; nil where all do.
    ///   - isLeftOut: whether a track does not count that was inserted at a position of the log.
    package init(
        in store: Store,
        among places: NamedPlaces?,
        isLeftOut: (Position) -> Bool,
        _ progress: (Int) -> Bool
    ) throws {
        noted = nil
        let name = Track.schema.name
        let hasAlbums = try store.schema.model(named: Album.schema.name) != nil
        var count = 0
        var isCancelled = false
        if let model = try store.schema.model(named: name),
            model.attribute(named: "location") != nil
        {
            try store.read { state in
                try state.forEachRecord(RecordQuery(model: name), lists: false) { record in
                    if count % Self.progressCount == 0 { isCancelled = !progress(count) }
                    guard !isCancelled else { return false }
                    count += 1
                    guard let place = Self.place(of: record),
                        !isLeftOut(record.created)
                    else { return true }
                    if let places, try !places.contains(place) { return true }
                    var album: Record?
                    if hasAlbums, case .reference(let id) = record["album"] {
                        album = try state.record(model: Album.schema.name, id: id, lists: false)
                    }
                    let statement = PlaylistEntry(track: record, album: album).packed
                    try tracks.withLock { tracks throws(LegacyError) in
                        guard try tracks.identifiers.value(of: place) == nil else { return }
                        try tracks.identifiers.updateValue(RecordKey(record.id), of: place)
                        try tracks.statements.updateValue(.odd(statement), of: place)
                    }
                    return true
                }
            }
        }
        guard !isCancelled else { throw LegacyError.cancelled }
    }

    /// Where a track of a library has its file; nil where it says nothing of that.
    static func place(of track: Record) -> PlaceHash? {
        guard case .string(let location) = track["location"] else { return nil }
        return PlaceHash(PlaylistLocation.resolved(location))
    }

    /// The identifier of the track whose file is at a place, in the form of ``PlaylistLocation/resolved(_:in:)`` and in
    /// whatever normal form of Unicode.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what did not fit into memory cannot be read back.
    /// - Complexity: O(length), or a search in a B-tree.
    public func track(at location: String) throws(LegacyError) -> String? {
        let place = PlaceHash(location)
        if try note(place) { return nil }
        return try tracks.withLock { tracks throws(LegacyError) in
            try tracks.identifiers.value(of: place)?.text
        }
    }

    /// The same with what the library says of it.
    func libraryTrack(at location: String) throws(LegacyError) -> LibraryTrack? {
        let place = PlaceHash(location)
        if try note(place) { return nil }
        return try tracks.withLock { tracks throws(LegacyError) in
            guard let id = try tracks.identifiers.value(of: place) else { return nil }
            let packed = try tracks.statements.value(of: place)
            return LibraryTrack(id: id.text, statement: packed.flatMap { PlaylistEntry(packed: $0.text) })
        }
    }

    /// Whether places are only noted.
    private func note(_ place: PlaceHash) throws(LegacyError) -> Bool {
        guard let noted else { return false }
        try noted.insert(place)
        return true
    }
}

/// The places that the entries of a playlist name.
package final class NamedPlaces: Sendable {
    private struct State {
        let places = RememberedSet<PlaceHash>(in: RecordMemory())
        var failure: LegacyError?
    }

    private let state = Mutex(State())

    /// Reads a playlist once, as far as it can be: what is wrong with it is said when it is read for its records.
    ///
    /// - Throws: ``LegacyError`` where a place could not be put aside, which is no fault of the playlist.
    package init(of playlist: some PlaylistSource) throws {
        do {
            _ = try playlist.naming(LibraryLocations(noting: self)).read { _ in }
        } catch is LegacyError {
            if let failure = state.withLock(\.failure) { throw failure }
        }
    }

    func insert(_ place: PlaceHash) throws(LegacyError) {
        try state.withLock { state throws(LegacyError) in
            do throws(LegacyError) {
                _ = try state.places.insert(place)
            } catch {
                state.failure = error
                throw error
            }
        }
    }

    func contains(_ place: PlaceHash) throws(LegacyError) -> Bool {
        try state.withLock { state throws(LegacyError) in try state.places.contains(place) }
    }
}

extension PlaylistEntry {
    /// What a library says of a track.
    fileprivate init(track: Record, album: Record?) {
        self.init()
        title = track.trimmedText("title")
        artist = track.trimmedText("artist")
        genre = track.trimmedText("genre")
        if case .double(let seconds) = track["duration"] { duration = seconds }
        if case .int(let number) = track["trackNumber"] { trackNumber = Int64(number) }
        if case .int(let number) = track["discNumber"] { discNumber = Int64(number) }
        self.album = album?.trimmedText("title")
        albumArtist = album?.trimmedText("artist")
    }
}

extension Record {
    /// A text that is not empty, without spaces around it: playlists are read without them.
    fileprivate func trimmedText(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        let trimmed = text.withoutSpacesAround
        return trimmed.isEmpty ? nil : trimmed
    }
}
