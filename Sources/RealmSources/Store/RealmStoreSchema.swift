import ExportFormats
import LegacyRecords
import RealmFile
import Reprise

/// The classes of a Realm file as the models of a store, and what of each property an attribute or a relationship is.
struct RealmStoreSchema {
    /// What a property becomes.
    enum Part {
        /// An attribute; `isText` says that what it holds is written as text.
        case attribute(name: String, type: ValueType)
        /// A value of any type, kept as text.
        case mixed(name: String)
        case toOne(name: String)
        case toMany(name: String)
        /// Objects by text: their identifiers, as a map.
        case linkMap(name: String)
        /// The identifier itself.
        case key
        /// Nothing: links to a class that cannot be read.
        case lost
    }

    /// A class that becomes a model.
    struct Model {
        let realmClass: RealmClass
        let name: String
        /// One for each property, in order.
        let parts: [Part]

        /// The same model, its objects read by another reader of the same file.
        func read(with realm: RealmReader) -> Model {
            Model(realmClass: realm.classes[realmClass.index], name: name, parts: parts)
        }
    }

    let description: SchemaDescription
    /// By the place of the class in the file; nil for Realm's own classes, and for those that cannot be read.
    let models: [Model?]
    /// What of a damaged file is not in `description`.
    let lost: LostSchema
    /// What became of names that cannot be typed everywhere.
    let notes: [LegacyWarning]
    /// By model and attribute.
    let heldIdentifiers: [String: [String: HeldIdentifiers]]

    init(_ realm: RealmReader) throws(LegacyError) {
        var builder = LegacySchemaBuilder(classes: realm.classes.filter(Self.isTaken).map(\.name))
        var ids: [LegacySchemaBuilder.ModelID?] = []
        var lost = LostSchema()
        for realmClass in realm.classes {
            guard Self.isTaken(realmClass), !realmClass.isLost else {
                if Self.isTaken(realmClass) {
                    lost.classes.insert(builder.reserveModel(realmClass.name))
                }
                ids.append(nil)
                continue
            }
            let properties = realmClass.properties.filter { !Self.isIdentifier($0, of: realmClass) }
            ids.append(builder.addModel(realmClass.name, properties: properties.map(\.name)))
        }
        var models: [Model?] = []
        var held: [String: [String: HeldIdentifiers]] = [:]
        for (realmClass, id) in zip(realm.classes, ids) {
            guard let id else {
                models.append(nil)
                continue
            }
            let model = builder.name(of: id)
            var parts: [Part] = []
            for property in realmClass.properties {
                if let index = property.targetIndex, realm.classes.indices.contains(index),
                    realm.classes[index].isLost
                {
                    lost.fields[model, default: []].insert(builder.reserve(property.name, of: id))
                    parts.append(.lost)
                    continue
                }
                let part = Self.part(property, of: realmClass, id, realm, ids, &builder)
                switch part {
                case .mixed(let name): held[model, default: [:]][name] = .text
                case .linkMap(let name):
                    guard let target = property.targetIndex.flatMap({ ids[$0] }) else { break }
                    held[model, default: [:]][name] = .map(of: builder.name(of: target))
                default: break
                }
                parts.append(part)
            }
            models.append(Model(realmClass: realmClass, name: model, parts: parts))
        }
        description = try builder.build()
        notes = builder.notes
        self.models = models
        self.lost = lost
        heldIdentifiers = held
    }

    /// Realm's own classes, for example those of its synchronisation, are nobody's data.
    private static func isTaken(_ realmClass: RealmClass) -> Bool {
        realmClass.isModel && !realmClass.name.hasPrefix("__")
    }

    /// A text called id that identifies objects is what a store calls the identifier.
    private static func isIdentifier(
        _ property: RealmClass.Property,
        of realmClass: RealmClass
    ) -> Bool {
        property.index == realmClass.primaryKey?.index && property.name == "id"
            && property.type == .string
    }

    private static func part(
        _ property: RealmClass.Property,
        of realmClass: RealmClass,
        _ model: LegacySchemaBuilder.ModelID,
        _ realm: RealmReader,
        _ ids: [LegacySchemaBuilder.ModelID?],
        _ builder: inout LegacySchemaBuilder
    ) -> Part {
        if isIdentifier(property, of: realmClass) { return .key }
        let isKey = property.index == realmClass.primaryKey?.index
        if let index = property.targetIndex {
            guard ids.indices.contains(index), let target = ids[index] else {
                return .mixed(
                    name: builder.addAttribute(property.name, .string, isOptional: true, to: model)
                )
            }
            // An object that is embedded goes with the one that it is in.
            let rule: DeleteRule = realm.classes[index].kind == .embedded ? .cascade : .nullify
            switch property.collection {
            case .none:
                return .toOne(
                    name: builder.addReference(
                        property.name,
                        from: model,
                        to: target,
                        onDelete: rule
                    )
                    .name
                )
            case .list, .set:
                return .toMany(
                    name: builder.addList(property.name, of: model, to: target, onDelete: rule).name
                )
            case .dictionary:
                return .linkMap(
                    name: builder.addAttribute(
                        property.name,
                        .map(.string, nilValues: true),
                        isOptional: true,
                        to: model
                    )
                )
            }
        }
        guard let element = property.type.stored else {
            return .mixed(
                name: builder.addAttribute(property.name, .string, isOptional: true, to: model)
            )
        }
        let type: ValueType =
            switch property.collection {
            case .none: element
            case .list: .list(element, nilElements: property.isOptional)
            case .set: .set(element, nilElements: property.isOptional)
            case .dictionary: .map(element, nilValues: property.isOptional)
            }
        let name = builder.addAttribute(
            property.name,
            type,
            isOptional: property.collection == .none
                && (property.isOptional || isKey || element.mayNotFit),
            isIndexed: property.isIndexed && property.collection == .none && !isKey,
            to: model
        )
        return .attribute(name: name, type: type)
    }
}

extension RealmValueType {
    /// The type of an attribute that holds such values; nil for values of any type.
    fileprivate var stored: ValueType? {
        switch self {
        case .integer: .int
        case .boolean: .bool
        case .string: .string
        case .data: .data
        case .float: .float
        case .double: .double
        case .timestamp: .date
        case .decimal: .decimal
        case .objectID: .string
        case .uuid: .uuid
        default: nil
        }
    }
}

extension ValueType {
    /// Whether the source's type has values that this one cannot hold.
    fileprivate var mayNotFit: Bool { self == .decimal }
}
