import MusicVocabulary
import RealmFile

extension RealmLibrarySource {
    /// Whether the file has music: a class that is called after tracks, with a title and an artist, an album, a
    /// duration, or a relationship with one that is called after albums or playlists.
    public var hasMusic: Bool { MusicEvidence(file.realm).isFound }

    /// Whether the file is music without anybody saying so: it has music, and the music library has a place for all of
    /// it but properties that are no links.
    public var isSurelyMusic: Bool {
        hasMusic && unmappedClasses.isEmpty && RealmLibraryReader.hasPlacesForLinks(of: file.realm)
    }

    /// The classes with objects that the music library has no model for, in the order of the file.
    public var unmappedClasses: [String] {
        file.realm.classes
            .filter {
                $0.isModel && $0.kind == .topLevel && $0.objectCount > 0
                    && !$0.name.hasPrefix("__") && MusicModel(className: $0.name) == nil
            }
            .map(\.name)
    }
}

extension MusicEvidence {
    fileprivate init(_ realm: RealmReader) {
        self.init(
            realm.classes.filter { $0.isModel && $0.kind == .topLevel }.map { realmClass in
                Class(
                    name: realmClass.name,
                    properties: realmClass.properties.map { property in
                        (property.name, property.targetIndex.map { realm.classes[$0].name })
                    }
                )
            }
        )
    }
}
