import LegacyRecords
import Reprise

/// How the models of a store are told as classes of Realm.
struct RealmJSONPlan {
    /// What a property holds.
    enum Kind: Equatable {
        /// The identifier, the primary key.
        case identifier
        case scalar(ValueType)
        case list(ValueType, nilElements: Bool)
        case set(ValueType, nilElements: Bool)
        case map(ValueType, nilValues: Bool)
        /// A link to the class of a model.
        case link(String)
        /// A list of links to the class of a model.
        case links(String)
        /// An object inside its owner, of the class at an index.
        case embedded(Int)
        /// Objects inside their owner.
        case embeddedList(Int)
        /// Anything.
        case mixed
    }

    struct Property {
        let name: String
        let kind: Kind
        let isOptional: Bool
        let isIndexed: Bool
    }

    struct Class {
        let name: String
        let isEmbedded: Bool
        var properties: [Property] = []
    }

    /// The most bytes of a class's and of a property's name in Realm (realm-core, `Group::max_table_name_length`,
    /// `Table::max_column_name_length`).
    private static let classNameByteCountMax = 57
    private static let propertyNameByteCountMax = 63

    /// The classes of the models in the order of the schema, then those of embedded objects.
    private(set) var classes: [Class] = []
    private var names = Set<String>()

    init(_ schema: SchemaDescription, _ ledger: inout ExportLedger) {
        names = Set(schema.models.map(\.name))
        classes = schema.models.map { Class(name: $0.name, isEmbedded: false) }
        for (index, model) in schema.models.enumerated() {
            classes[index].properties = properties(of: model, schema, &ledger)
        }
        for found in classes {
            if found.name.utf8.count > Self.classNameByteCountMax {
                ledger.warn(
                    .unusualName,
                    "\(found.name) is longer than Realm allows a class to be called."
                )
            }
            for property in found.properties
            where property.name.utf8.count > Self.propertyNameByteCountMax {
                ledger.warn(
                    .unusualName,
                    "\(found.name).\(property.name) is longer than Realm allows a property to be called."
                )
            }
        }
        for relation in schema.relations
        where relation.source.onDelete != .nullify || relation.target.onDelete != .nullify {
            let model = schema.model(relation.source.model)?.name ?? ""
            ledger.warn(
                .lostRule,
                "Realm knows no rule for deleting: that of \(model).\(relation.source.name ?? "") is left out."
            )
        }
        for model in schema.models {
            for index in model.indexes where index.isUnique {
                let attributes = index.slots.compactMap { model.attribute(slot: $0)?.name }
                ledger.warn(
                    .lostRule,
                    "Only primary keys are unique in Realm: that \(model.name)."
                        + "\(attributes.joined(separator: ", ")) is unique is left out."
                )
            }
        }
    }

    private mutating func properties(
        of model: ModelDescription,
        _ schema: SchemaDescription,
        _ ledger: inout ExportLedger
    ) -> [Property] {
        var properties = [
            Property(name: "id", kind: .identifier, isOptional: false, isIndexed: false)
        ]
        for attribute in model.attributes {
            let place = "\(model.name).\(attribute.name)"
            let kind: Kind
            if attribute.type == .reference {
                kind = .link(schema.target(of: attribute, model)?.name ?? "")
            } else {
                kind = self.kind(of: attribute.type, at: place, &ledger)
            }
            let isIndexed = model.indexes.contains { $0.slots == [attribute.slot] }
            properties.append(
                Property(
                    name: attribute.name,
                    kind: kind,
                    isOptional: attribute.isOptional || attribute.type == .reference,
                    // Realm has no index of floating-point numbers, decimals and data.
                    isIndexed: isIndexed && attribute.type.hasRealmIndex
                )
            )
        }
        for list in schema.orderedLists(of: model) {
            properties.append(
                Property(
                    name: list.name,
                    kind: .links(list.target.name),
                    isOptional: false,
                    isIndexed: false
                )
            )
        }
        return properties
    }

    private mutating func kind(
        of type: ValueType,
        at place: String,
        _ ledger: inout ExportLedger
    ) -> Kind {
        switch type {
        case .list(let element, let nilElements) where element.isScalar:
            return .list(element, nilElements: nilElements)
        case .set(let element, let nilElements) where element.isScalar:
            return .set(element, nilElements: nilElements)
        case .map(let value, let nilValues) where value.isScalar:
            return .map(value, nilValues: nilValues)
        case .embedded(let fields):
            return .embedded(embedded(fields, at: place, &ledger))
        case .list(.embedded(let fields), nilElements: false):
            return .embeddedList(embedded(fields, at: place, &ledger))
        case .list, .set, .map, .reference:
            ledger.warn(
                .keptAsMixed,
                "\(place) nests collections or structs, and is written as a value of any type."
            )
            return .mixed
        default: return .scalar(type)
        }
    }

    /// The class of the objects that a struct becomes, by its index.
    private mutating func embedded(
        _ fields: [EmbeddedField],
        at place: String,
        _ ledger: inout ExportLedger
    ) -> Int {
        let wanted = place.replacing(".", with: "_")
        var name = wanted
        var number = 2
        while !names.insert(name).inserted {
            name = "\(wanted)_\(number)"
            number += 1
        }
        ledger.warn(
            .embeddedStruct,
            "The structs in \(place) are written as embedded objects of the class \(name)."
        )
        let index = classes.count
        classes.append(Class(name: name, isEmbedded: true))
        let properties = fields.map { field in
            Property(
                name: field.name,
                kind: kind(of: field.type, at: "\(place).\(field.name)", &ledger),
                isOptional: field.isOptional,
                isIndexed: false
            )
        }
        classes[index].properties = properties
        return index
    }
}

extension ValueType {
    /// Whether it is one value, neither a collection nor a struct nor a reference.
    var isScalar: Bool {
        switch self {
        case .bool, .int, .double, .float, .string, .data, .date, .uuid, .decimal: true
        case .list, .set, .map, .embedded, .reference: false
        }
    }

    /// Whether Realm can have an index of such values.
    fileprivate var hasRealmIndex: Bool {
        switch self {
        case .bool, .int, .string, .date, .uuid: true
        default: false
        }
    }
}

extension SchemaDescription {
    /// The model to which a to-one leads.
    func target(of attribute: AttributeDescription, _ model: ModelDescription) -> ModelDescription?
    {
        relation(of: attribute, model).flatMap { self.model($0.other.model) }
    }

    /// The relationship whose to-one an attribute is, seen from there.
    func relation(
        of attribute: AttributeDescription,
        _ model: ModelDescription
    ) -> (
        relation: RelationDescription, own: RelationDescription.End, other: RelationDescription.End
    )? {
        for relation in relations {
            switch relation.kind {
            case .reference(let slot):
                guard relation.source.model == model.number, slot == attribute.slot else {
                    continue
                }
                return (relation, relation.source, relation.target)
            case .pair(let sourceSlot, let targetSlot):
                if relation.source.model == model.number, sourceSlot == attribute.slot {
                    return (relation, relation.source, relation.target)
                }
                if relation.target.model == model.number, targetSlot == attribute.slot {
                    return (relation, relation.target, relation.source)
                }
            case .list: continue
            }
        }
        return nil
    }

    /// The to-many relationships of a model that have an order of their own: lists, and the named other sides of
    /// to-ones.
    func orderedLists(
        of model: ModelDescription
    ) -> [(name: String, target: ModelDescription, relation: RelationDescription)] {
        relations.compactMap { relation in
            switch relation.kind {
            case .reference:
                guard relation.target.model == model.number, let name = relation.target.name,
                    let other = self.model(relation.source.model)
                else { return nil }
                return (name, other, relation)
            case .list:
                guard relation.source.model == model.number, let name = relation.source.name,
                    let other = self.model(relation.target.model)
                else { return nil }
                return (name, other, relation)
            case .pair: return nil
            }
        }
    }
}
