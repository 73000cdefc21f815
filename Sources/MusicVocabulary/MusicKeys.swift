package import LegacyRecords

/// Keys of records that sources make because their files have none.
package enum MusicKeys {
    /// The key of an album: of the identity of the source, the title of the album and its artist.
    package static func album(source: SourceIdentity, title: String, artist: String?) -> String {
        ContentKey(["reprise album", source.kind, source.name, title, artist]).text
    }
}
