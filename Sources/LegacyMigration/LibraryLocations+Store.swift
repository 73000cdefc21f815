import LegacyMigrator
public import LegacyRecords
public import PlaylistSources
public import Reprise

extension LibraryLocations {
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
    /// - Complexity: O(tracks), each a search in a B-tree beyond some hundred thousand of them.
    public convenience init(
        in store: Store,
        except source: SourceIdentity,
        progress: (Int) -> Bool = { _ in true }
    ) throws {
        let owned = try SourceHistory(of: source, in: store).owned
        try self.init(in: store, among: nil, isLeftOut: owned.contains, progress)
    }

    /// Reads the locations of those tracks that a playlist may mean: nothing else of the library is remembered.
    ///
    /// - Parameters:
    ///   - store: the library.
    ///   - playlist: is read once, as far as it can be; tracks that come from it do not count.
    ///   - progress: called before the first track and after some thousands with how many were read, on the caller's
    ///     thread; returning false cancels.
    /// - Throws: as ``init(in:except:progress:)``. What is wrong with the playlist is thrown when it is read itself.
    /// - Complexity: O(tracks + entries).
    public convenience init(
        in store: Store,
        of playlist: some PlaylistSource,
        progress: (Int) -> Bool = { _ in true }
    ) throws {
        let owned = try SourceHistory(of: playlist.identity, in: store).owned
        try self.init(in: store, among: NamedPlaces(of: playlist), isLeftOut: owned.contains, progress)
    }
}
