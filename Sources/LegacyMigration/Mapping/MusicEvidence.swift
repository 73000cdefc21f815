import RealmFile
import Reprise

/// Whether an export is music without anybody saying so. A class that is called after tracks may be those of a GPS
/// device.
struct MusicEvidence {
    /// A class, as far as it matters here.
    struct Class {
        let name: String
        let properties: [(name: String, target: String?)]
    }

    /// Whether a class that is called after tracks has a title, and an artist, an album, a duration, or a relationship
    /// with one that is called after albums or playlists.
    let isFound: Bool

    init(_ classes: [Class]) {
        let models = Dictionary(
            classes.map { ($0.name, MusicModel(className: $0.name)) },
            uniquingKeysWith: { first, _ in first }
        )
        func isCollection(_ name: String?) -> Bool {
            let model = name.flatMap { models[$0] ?? nil }
            return model == .album || model == .playlist
        }
        isFound = classes.contains { track in
            guard models[track.name] == .track else { return false }
            let names = track.properties.map { PropertyName.normalized($0.name) }
            func has(_ fields: String...) -> Bool {
                MusicModel.track.fields.contains { field in
                    fields.contains(field.name) && names.contains(where: field.isMeant)
                }
            }
            guard has("title") else { return false }
            return has("artist", "album", "duration")
                || track.properties.contains { isCollection($0.target) }
                || classes.contains { other in
                    isCollection(other.name)
                        && other.properties.contains { $0.target == track.name }
                }
        }
    }

    init(_ schema: SchemaDescription) {
        self.init(
            schema.models.map { model in
                let links = schema.links(of: model)
                let plain = model.attributes.filter { $0.type != .reference }
                return Class(
                    name: model.name,
                    properties: plain.map { ($0.name, nil) } + links.map { ($0.name, $0.target) }
                )
            }
        )
    }

    init(_ realm: RealmReader) {
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
