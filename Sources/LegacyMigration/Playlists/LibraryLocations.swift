import MusicLibrary
public import Reprise

/// The tracks of a library by the places of their files, so that the entries of a playlist become tracks that are
/// there already.
///
/// ```swift
/// let bare = try M3USource(path: "party.m3u8")
/// let locations = try LibraryLocations(in: store, except: bare.identity)
/// let source = try M3USource(path: "party.m3u8") { locations.track(at: $0) }
/// ```
public struct LibraryLocations: Sendable {
    private static let progressCount = 4096

    private let tracks: [String: String]

    /// Reads the locations of all tracks that do not come from `source` itself. Of tracks at the same place the first
    /// one counts.
    ///
    /// - Parameters:
    ///   - store: the library.
    ///   - source: whose tracks do not count.
    ///   - progress: called before the first track and after some thousands with how many were read, on the caller's
    ///     thread; returning false cancels.
    /// - Throws: ``LegacyError`` when it is cancelled, `StoreError`, and ``MigrationError`` where the record of an
    ///   earlier migration cannot be understood. A store without tracks is as good as an empty one.
    /// - Complexity: O(tracks), in memory, too: about 150 bytes for each.
    public init(
        in store: Store,
        except source: SourceIdentity,
        progress: (Int) -> Bool = { _ in true }
    ) throws {
        let history = try SourceHistory(of: source, in: store)
        let name = Track.schema.name
        var tracks: [String: String] = [:]
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
                    let place = PlaylistLocation.resolved(location)
                    if tracks[place] == nil { tracks[place] = record.id }
                    return true
                }
            }
        }
        guard !isCancelled else { throw LegacyError.cancelled }
        self.tracks = tracks
    }

    /// The identifier of the track whose file is at a place, in the form of ``PlaylistLocation/resolved(_:in:)``.
    public func track(at location: String) -> String? { tracks[location] }
}
