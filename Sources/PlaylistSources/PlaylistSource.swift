public import LegacyRecords

/// A playlist file, whose entries may be tracks that a library has already.
public protocol PlaylistSource: DetailedSource {
    /// The same playlist, whose entries are the tracks of a library where it has one at their location. What an entry
    /// says of such a track and the library does not, or says in another way, is counted (`differingEntry`): the
    /// track stays as it is.
    func naming(_ locations: LibraryLocations) -> Self
}
