import ExportFormats
import SQLiteFile

/// The managed object model that a store keeps in its table `Z_MODELCACHE`: what `NSKeyedArchiver` makes of an
/// `NSManagedObjectModel`, compressed by DEFLATE. No document describes it; this reads what stores of macOS 10.15 and
/// 13 hold, and is nothing where it is anything else.
struct CoreDataModel {
    /// A property of an entity.
    struct Property: Equatable {
        enum Content: Equatable {
            /// `NSAttributeType`, by number, and whether values may be kept in files of their own.
            case attribute(Int64, isExternal: Bool)
            case relationship(Relationship)
        }

        let name: String
        let content: Content
    }

    /// A relationship.
    struct Relationship: Equatable {
        /// The name of the entity that it leads to.
        let target: String
        /// The name of the property on the other side.
        let inverse: String?
        let isToMany: Bool
        /// `NSDeleteRule`, by number.
        let deleteRule: Int64
    }

    /// The properties of each entity, with those that it inherits.
    private let properties: [String: [Property]]

    /// Of what is stored, and of what it expands to. A large model takes 150 and 300 thousand bytes.
    private static let compressedByteCountMax = 4 << 20
    private static let byteCountMax = 32 << 20
    /// `_storeBinaryDataExternally`, the third bit of the flags in `NSAttributeDescription.h`.
    private static let externalFlag: Int64 = 4

    subscript(entity: String) -> [Property] { properties[entity] ?? [] }

    /// The model that the store holds, where it does and it can be read.
    static func cached(in database: SQLiteDatabase) throws -> CoreDataModel? {
        let tables = try database.tables()
        guard
            let table = tables.first(where: { $0.kind == .table && $0.name == "Z_MODELCACHE" }),
            table.column("Z_CONTENT") != nil
        else { return nil }
        let rows = try database.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try rows.step(), rows.byteCount(at: 0) <= compressedByteCountMax,
            case .blob(let bytes) = rows.value(at: 0)
        else {
            return nil
        }
        return CoreDataModel(compressed: bytes)
    }

    init?(compressed: [UInt8]) {
        guard let bytes = Inflater.inflate(compressed, byteCountMax: Self.byteCountMax),
            let archive = KeyedArchive(bytes),
            let entities = archive.object("NSEntities", of: archive.root)
        else { return nil }
        var properties: [String: [Property]] = [:]
        // A dictionary with known keys keeps its values apart; an ordinary one is a collection itself.
        var objects = archive.elements("values", of: entities)
        if objects.isEmpty { objects = archive.elements("NSEntities", of: archive.root) }
        for entity in objects {
            guard let name = archive.text("NSEntityName", of: entity) else { return nil }
            properties[name] = archive.elements("NSProperties", of: entity).compactMap {
                Self.property($0, archive)
            }
        }
        guard !properties.isEmpty, archive.isComplete else { return nil }
        self.properties = properties
    }

    private static func property(_ object: KeyedArchive.Object, _ archive: KeyedArchive)
        -> Property?
    {
        guard let name = archive.text("NSPropertyName", of: object) else { return nil }
        if let type = archive.integer("NSAttributeType", of: object) {
            let flags = archive.integer("NSFlagsKey", of: object) ?? 0
            let isExternal = flags & externalFlag != 0
            return Property(name: name, content: .attribute(type, isExternal: isExternal))
        }
        guard let target = archive.text("_NSDestinationEntityName", of: object) else { return nil }
        let relationship = Relationship(
            target: target,
            inverse: archive.text("_NSInverseRelationshipName", of: object),
            isToMany: archive.integer("NSMaxCount", of: object) != 1,
            deleteRule: archive.integer("NSDeleteRule", of: object) ?? 1
        )
        return Property(name: name, content: .relationship(relationship))
    }
}
