import LegacyRecords
package import Reprise

/// Whether an export is music without anybody saying so. A class that is called after tracks may be those of a GPS
/// device.
package struct MusicEvidence {
    /// A class, as far as it matters here.
    package struct Class {
        package let name: String
        package let properties: [(name: String, target: String?)]

        package init(name: String, properties: [(name: String, target: String?)]) {
            self.name = name
            self.properties = properties
        }
    }

    /// Whether a class that is called after tracks has a title, and an artist, an album, a duration, or a relationship
    /// with one that is called after albums or playlists.
    package let isFound: Bool

    package init(_ classes: [Class]) {
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

    package init(_ schema: SchemaDescription) {
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
}
