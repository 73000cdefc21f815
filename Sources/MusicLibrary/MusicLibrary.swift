public import Reprise

/// The shipped schema: tracks, the albums that they belong to, and playlists.
///
/// It uses nothing but the engine's public API; an app of another kind declares its models in the same way.
public enum MusicLibrary {
    /// The schema of a music library's store.
    public static let schema = Schema(Track.self, Album.self, Playlist.self)
}
