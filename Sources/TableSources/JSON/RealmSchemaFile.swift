import ExportFormats
import LegacyRecords

/// What `realm2json --schema` says of the classes of a file: an array of objects with `name`, `primaryKey`,
/// `tableType` and `properties` (realm-core, `Table::schema_to_json`).
struct RealmSchemaFile: Sendable {
    /// A class.
    struct Class: Sendable {
        var name: String
        var primaryKey: String?
        var isEmbedded: Bool
        /// Whether its name in the file began with `class_`: others are the SDK's own.
        var isModel: Bool
        var properties: [Property]
    }

    /// A property.
    struct Property: Sendable {
        enum Collection: Sendable { case none, list, set, dictionary }
        var name: String
        /// `int`, `bool`, `float`, `double`, `string`, `binary`, `timestamp`, `objectId`, `decimal128`, `uuid`,
        /// `mixed` or `object`.
        var type: String
        var target: String?
        var collection: Collection
        var isOptional: Bool
        var isIndexed: Bool
    }

    private(set) var classes: [Class] = []
    private var places = ExactNames<Int>()

    /// The most bytes that a schema is read of.
    static let byteCountMax: UInt64 = 64 << 20

    subscript(name: String) -> Class? { places[name].map { classes[$0] } }

    /// A table's name without the `class_` that stands before those of models.
    static func className(_ table: String) -> String {
        isOfClass(table) ? String(table.dropFirst(6)) : table
    }

    /// Whether a table's name says that it is a model's.
    static func isOfClass(_ table: String) -> Bool { table.hasPrefix("class_") }

    /// Reads a file that `realm2json --schema` wrote.
    init(path: String) throws {
        let input = try FileInput(path: path)
        guard input.stamp.byteCount <= Self.byteCountMax else { throw Self.unusable }
        let reader = JSONReader(input)
        guard case .array(let tables) = try reader.value(from: try reader.next()),
            try reader.next() == .end
        else { throw Self.unusable }
        guard tables.count <= JSONSurvey.classCountMax else { throw JSONSurvey.tooManyClasses }
        for table in tables {
            guard case .object(let members) = table else { throw Self.unusable }
            let next = try Self.readClass(members)
            guard places[next.name] == nil else { throw Self.unusable }
            places[next.name] = classes.count
            classes.append(next)
        }
    }

    private static func readClass(_ members: [JSONMember]) throws -> Class {
        guard case .string(let name)? = members["name"],
            case .array(let properties)? = members["properties"]
        else { throw unusable }
        var primaryKey: String?
        if case .string(let name)? = members["primaryKey"] { primaryKey = name }
        let read = try properties.map { property in
            guard case .object(let members) = property else { throw unusable }
            return try readProperty(members)
        }
        return Class(
            name: className(name),
            primaryKey: primaryKey,
            isEmbedded: members["tableType"] == .string("Embedded"),
            isModel: isOfClass(name),
            properties: read
        )
    }

    private static func readProperty(_ members: [JSONMember]) throws -> Property {
        guard case .string(let name)? = members["name"], case .string(let type)? = members["type"]
        else { throw unusable }
        var target: String?
        if case .string(let table)? = members["objectType"] { target = className(table) }
        guard (type == "object") == (target != nil) else { throw unusable }
        let isTrue = { (name: String) in members[name] == .bool(true) }
        let collection: Property.Collection =
            isTrue("isArray")
            ? .list : isTrue("isSet") ? .set : isTrue("isMap") ? .dictionary : .none
        return Property(
            name: name,
            type: type,
            target: target,
            collection: collection,
            isOptional: isTrue("isOptional"),
            isIndexed: isTrue("isIndexed")
        )
    }

    private static var unusable: LegacyError {
        LegacyError(
            .malformed,
            "The schema is not what `realm2json --schema` writes.",
            advice: "Write it again, with `realm2json --schema` and the name of the Realm file."
        )
    }
}
