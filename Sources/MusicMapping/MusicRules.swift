import LegacyMapping
import LegacyRecords
import MusicLibrary
import MusicVocabulary
import Reprise

/// What classes and properties are in the music library, by their names.
struct MusicRules: TargetRules {
    let name = "music"

    var schema: SchemaDescription { MusicLibrary.schema.description }

    func model(ofClass name: String) -> String? { MusicModel(className: name)?.rawValue }

    func fields(of properties: [TargetProperty], in model: String) -> [(place: Int, field: String)]? {
        guard let music = MusicModel(rawValue: model) else { return nil }
        let mapping = MusicClassMapping(
            music,
            properties.map { property in
                MusicClassMapping.Property(
                    name: property.name,
                    target: property.target.flatMap(MusicModel.init(rawValue:)),
                    isCollection: property.isCollection,
                    keyModels: Set(property.keyModels.compactMap(MusicModel.init(rawValue:)))
                )
            },
            identifier: nil
        )
        var fields = mapping.fields.map { (place: $0.property, field: $0.field.name) }
        if let members = mapping.members { fields.append((members, "tracks")) }
        if let owner = mapping.owner { fields.append((owner, music == .track ? "album" : "parent")) }
        return fields
    }

    func milliseconds(_ attribute: String, isSaid: Bool, field: String, model: String) -> LegacyWarning? {
        guard model == MusicModel.track.rawValue, field == "duration",
            isSaid || DurationUnit.isMilliseconds(attribute)
        else { return nil }
        return .milliseconds(attribute)
    }

    func bounds(of field: String, in model: String) -> ClosedRange<Int64>? {
        model == MusicModel.track.rawValue && field == "rating" ? 0...100 : nil
    }

    /// The class is called after artists or genres, and has a name.
    func followedName(of model: ModelDescription) -> (attribute: String, field: String)? {
        var field = PropertyName.normalized(model.name)
        if field.hasSuffix("s") { field.removeLast() }
        guard ["artist", "genre"].contains(field) else { return nil }
        let attribute = model.attributes.first { attribute in
            attribute.type == .string
                && ["name", "title", field + "name"].contains(PropertyName.normalized(attribute.name))
        }
        return attribute.map { ($0.name, field) }
    }

    /// A track without an artist has that of its album.
    var inherited: [(model: String, field: String, toOne: String)] {
        [(MusicModel.track.rawValue, "artist", "album")]
    }
}
