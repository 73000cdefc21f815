import MusicLibrary
public import Reprise
import Synchronization

/// The tracks of a library by the places of their files, so that the entries of a playlist become tracks that are
/// there already.
///
/// ```swift
/// let bare = try M3USource(path: "party.m3u8")
/// let locations = try LibraryLocations(in: store, except: bare.identity)
/// let source = try M3USource(path: "party.m3u8") { try locations.track(at: $0) }
/// ```
///
/// They take at most 144 MiB, and a temporary file beyond that.
public final class LibraryLocations: Sendable {
    private static let progressCount = 4096

    /// The identifiers of the tracks, which any thread may ask for.
    private let tracks = Mutex(RememberedMap<PlaceHash>(in: RecordMemory()))

    /// Reads the locations of all tracks that do not come from `source` itself. Of tracks at the same place the first
    /// one counts.
    ///
    /// - Parameters:
    ///   - store: the library.
    ///   - source: whose tracks do not count.
    ///   - progress: called before the first track and after some thousands with how many were read, on the caller's
    ///     thread; returning false cancels.
    /// - Throws: ``LegacyError`` when it is cancelled, or with the code `inputOutput` where what does not fit into
    ///   memory cannot be put aside, `StoreError`, and ``MigrationError`` where the record of an
    ///   earlier migration cannot be understood. A store without tracks is as good as an empty one.
    /// - Complexity: O(tracks), each a search in a B-tree beyond one and a half million of them.
    public init(
        in store: Store,
        except source: SourceIdentity,
        progress: (Int) -> Bool = { _ in true }
    ) throws {
        let history = try SourceHistory(of: source, in: store)
        let name = Track.schema.name
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
                    guard case .string(let location) = record["location"],
                        !history.owned.contains(record.created)
                    else { return true }
                    let place = PlaceHash(PlaylistLocation.resolved(location))
                    try tracks.withLock { tracks throws(LegacyError) in
                        guard try tracks.value(of: place) == nil else { return }
                        try tracks.updateValue(RecordKey(record.id), of: place)
                    }
                    return true
                }
            }
        }
        guard !isCancelled else { throw LegacyError.cancelled }
    }

    /// The identifier of the track whose file is at a place, in the form of ``PlaylistLocation/resolved(_:in:)`` and in
    /// whatever normal form of Unicode.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what did not fit into memory cannot be read back.
    /// - Complexity: O(length), or a search in a B-tree.
    public func track(at location: String) throws(LegacyError) -> String? {
        try tracks.withLock { tracks throws(LegacyError) in
            try tracks.value(of: PlaceHash(location))?.text
        }
    }
}
