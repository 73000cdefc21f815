public import LegacyMapping
import LegacyRecords
import MusicVocabulary
import Reprise

extension MappedSource {
    /// Whether the export has music: a class that is called after tracks, with a title and an artist, an album, a
    /// duration, or a relationship with one that is called after albums or playlists.
    public var hasMusic: Bool { MusicEvidence(base.schema).isFound }

    /// Whether the export is music without anybody saying so: it has music, and the music library has a place for all
    /// of it but columns.
    public var isSurelyMusic: Bool { hasMusic && !plan.losesRecords }

    /// The classes of the export that have become no model, in its order.
    public var unmappedClasses: [String] {
        base.schema.models.map(\.name).filter { plan.classes[$0] == nil && plan.remembered[$0] == nil }
    }
}
