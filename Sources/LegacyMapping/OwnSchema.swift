import ExportFormats
import LegacyRecords
import Reprise

/// A source's own schema with the names and types that a mapping gives it.
struct OwnSchema {
    let description: SchemaDescription
    /// The models by the classes that they come from.
    let models: [String: String]
    /// The fields of each class, by their names in the export.
    let fields: [String: [String: String]]

    init(_ mapping: RecordMapping, _ source: SchemaDescription) throws(LegacyError) {
        var builder = LegacySchemaBuilder()
        var ids: [UInt16: LegacySchemaBuilder.ModelID] = [:]
        var models: [String: String] = [:]
        /// By what they are called now.
        var classes: [String: String] = [:]
        var fields: [String: [String: String]] = [:]
        for model in source.models {
            let rule = mapping.classes[model.name]
            if rule?.isDropped ?? false { continue }
            let name = rule?.model ?? model.name
            if let other = classes.updateValue(model.name, forKey: name) {
                throw LegacyError(
                    .malformed,
                    "With the mapping both \(other) and \(model.name) are called \"\(name)\".",
                    advice:
                        "Give each class a name of its own; only the music library takes several as one model."
                )
            }
            let id = builder.addModel(name)
            guard rule?.model == nil || builder.name(of: id) == name else {
                throw LegacyError(
                    .malformed,
                    "The mapping calls \(model.name) \"\(name)\", as no model can be called.",
                    advice: "Take letters, digits and underscores, not beginning with a digit."
                )
            }
            ids[model.number] = id
            models[model.name] = builder.name(of: id)
            fields[model.name] = [:]
        }
        /// Without rules all names are free: one that is not, or that no field can have, is a mistake in a rule.
        func claim(_ found: String, _ wanted: String, _ place: String) throws(LegacyError) {
            guard !found.utf8.elementsEqual(wanted.utf8) else { return }
            throw LegacyError(
                .malformed,
                "The mapping calls \(place) \"\(wanted)\", as another field is called or none can be.",
                advice:
                    "Give each field a name of its own: letters, digits and underscores, not beginning with a digit, "
                    + "and not \"id\"."
            )
        }
        func rule(_ model: String, _ field: String?) -> RecordMapping.FieldRule {
            field.flatMap { mapping.classes[model]?.fields[$0] } ?? RecordMapping.FieldRule()
        }
        for model in source.models {
            guard let id = ids[model.number] else { continue }
            for attribute in model.attributes {
                let fieldRule = rule(model.name, attribute.name)
                if fieldRule.isDropped { continue }
                let name = fieldRule.name ?? attribute.name
                guard attribute.type == .reference else {
                    let isList = fieldRule.separator != nil
                    let added = builder.addAttribute(
                        name,
                        isList
                            ? .list(.string, nilElements: false) : fieldRule.type?.valueType ?? attribute.type,
                        isOptional: attribute.isOptional && !isList,
                        isIndexed: !isList
                            && model.indexes.contains { $0.slots == [attribute.slot] },
                        // Of what identifies records two sources may have the same.
                        isUnique: !isList && fieldRule.type == nil
                            && mapping.classes[model.name]?.identifier != .field(attribute.name)
                            && model.indexes.contains {
                                $0.slots == [attribute.slot] && $0.isUnique
                            },
                        to: id
                    )
                    try claim(added, name, "\(model.name).\(attribute.name)")
                    fields[model.name]?[attribute.name] = added
                    continue
                }
                guard let end = source.toOneEnd(model, attribute), let target = ids[end.target]
                else { continue }
                let owner = source.model(end.target)?.name ?? ""
                let inverse = rule(owner, end.inverse)
                let wanted = inverse.isDropped ? nil : inverse.name ?? end.inverse
                let added = builder.addReference(
                    name,
                    from: id,
                    to: target,
                    onDelete: end.onDelete,
                    inverse: .init(
                        name: wanted,
                        onDelete: end.inverseOnDelete
                    )
                )
                try claim(added.name, name, "\(model.name).\(attribute.name)")
                fields[model.name]?[attribute.name] = added.name
                if let theirs = end.inverse, let name = added.inverse, let wanted {
                    try claim(name, wanted, "\(owner).\(theirs)")
                    fields[owner]?[theirs] = name
                }
            }
        }
        for relation in source.relations {
            guard case .list = relation.kind, let name = relation.source.name,
                let owner = source.model(relation.source.model)?.name,
                let id = ids[relation.source.model], let target = ids[relation.target.model]
            else { continue }
            let listRule = rule(owner, name)
            if listRule.isDropped { continue }
            let other = source.model(relation.target.model)?.name ?? ""
            let inverse = rule(other, relation.target.name)
            let wanted = inverse.isDropped ? nil : inverse.name ?? relation.target.name
            let added = builder.addList(
                listRule.name ?? name,
                of: id,
                to: target,
                onDelete: relation.source.onDelete,
                inverse: .init(name: wanted, onDelete: relation.target.onDelete)
            )
            try claim(added.name, listRule.name ?? name, "\(owner).\(name)")
            if let theirs = relation.target.name, let name = added.inverse, let wanted {
                try claim(name, wanted, "\(other).\(theirs)")
            }
            fields[owner]?[name] = added.name
        }
        description = try builder.build()
        self.models = models
        self.fields = fields
    }
}

extension SchemaDescription {
    /// A to-one, seen from the model that has it.
    fileprivate struct ToOneEnd {
        let target: UInt16
        let onDelete: DeleteRule
        /// The list on the other side.
        let inverse: String?
        let inverseOnDelete: DeleteRule
    }

    fileprivate func toOneEnd(
        _ model: ModelDescription,
        _ attribute: AttributeDescription
    ) -> ToOneEnd? {
        for relation in relations {
            switch relation.kind {
            case .reference(let slot)
            where slot == attribute.slot && relation.source.model == model.number:
                return ToOneEnd(
                    target: relation.target.model,
                    onDelete: relation.source.onDelete,
                    inverse: relation.target.name,
                    inverseOnDelete: relation.target.onDelete
                )
            // Both sides of a one to one become to-ones of their own.
            case .pair(let slot, _)
            where slot == attribute.slot && relation.source.model == model.number:
                return ToOneEnd(
                    target: relation.target.model,
                    onDelete: relation.source.onDelete,
                    inverse: nil,
                    inverseOnDelete: .nullify
                )
            case .pair(_, let slot)
            where slot == attribute.slot && relation.target.model == model.number:
                return ToOneEnd(
                    target: relation.source.model,
                    onDelete: relation.target.onDelete,
                    inverse: nil,
                    inverseOnDelete: .nullify
                )
            default: continue
            }
        }
        return nil
    }
}
