import Reprise
import SQLiteFile

/// A column of an entity's table that becomes an attribute or a to-one relationship.
struct CoreDataColumn {
    enum Target {
        /// A plain value.
        case none
        case entity(Int64)
        /// Perhaps a relationship; where it leads has to be told by names or values.
        case unknown
    }

    let column: SQLiteColumn
    let name: String
    let form: ValueForm?
    /// Whether the model says so: then values are not asked.
    let isKnown: Bool
    /// Whether the type is the store's own word: the model's, or `TIMESTAMP`, which Core Data gives to dates alone.
    let isDeclared: Bool
    let target: Target
    /// Whether it is a relationship even when nobody knows where to.
    let isSurelyReference: Bool
    /// What members of the other side are sorted by.
    let orderColumn: String?
    /// The name of the other side; nil where it has none, or is a to-one itself.
    let inverseName: String?
    let onDelete: DeleteRule
    let inverseOnDelete: DeleteRule
    let isIndexed: Bool
    let isUnique: Bool

    /// The columns without those that only serve Core Data.
    static func columns(
        of table: SQLiteTable,
        entity: CoreDataEntities.Entity,
        _ entities: CoreDataEntities,
        _ names: CoreDataNames
    ) -> [CoreDataColumn] {
        let own = ["Z_PK", "Z_ENT", "Z_OPT"]
        var orders: [String: String] = [:]
        var targets: [String: Int64] = [:]
        for column in table.readableColumns {
            if column.name.hasPrefix("Z_FOK_") {
                orders["Z" + column.name.dropFirst("Z_FOK_".count)] = column.name
            } else if let (number, name) = companion(column.name), entities[number] != nil,
                table.column("Z" + name) != nil
            {
                targets["Z" + name] = number
            }
        }
        let companions = Set(
            table.readableColumns.map(\.name).filter { name in
                companion(name).map { targets["Z" + $0.name] != nil } ?? false
            }
        )
        return table.readableColumns.compactMap { column in
            let name = column.name
            guard !own.contains(name), !name.hasPrefix("Z_FOK_"), !companions.contains(name) else {
                return nil
            }
            return CoreDataColumn(
                column,
                table,
                entity,
                names,
                order: orders[name],
                companion: targets[name]
            )
        }
    }

    private init(
        _ column: SQLiteColumn,
        _ table: SQLiteTable,
        _ entity: CoreDataEntities.Entity,
        _ names: CoreDataNames,
        order: String?,
        companion: Int64?
    ) {
        self.column = column
        orderColumn = order
        isIndexed = table.indexes.contains { $0.columns == [column.name] && !$0.isPartial }
        isUnique = table.indexes.contains {
            $0.columns == [column.name] && !$0.isPartial && $0.isUnique
        }
        let known = names.property(column.name, of: entity)
        isKnown = known != nil
        name = known?.name ?? Self.plainName(column.name)
        form = known?.form ?? Self.form(column.declaredType)
        isDeclared = known?.form != nil || form == .referenceDate
        inverseOnDelete = known?.inverseOnDelete ?? .nullify
        onDelete = known?.onDelete ?? .nullify
        // Core Data makes an index of this name for each to-one relationship.
        let hasIndex = table.indexes.contains { $0.name == "\(table.name)_\(column.name)_INDEX" }
        let isNumber = SQLiteName.areSame(column.declaredType, "INTEGER")
        if let known {
            target = known.target.map(Target.entity) ?? .none
            isSurelyReference = known.target != nil
            inverseName = known.inverseName
        } else if isNumber, let companion {
            target = .entity(companion)
            isSurelyReference = true
            inverseName = Self.plural(entity.name)
        } else if isNumber, order != nil || (hasIndex && names.model == nil) {
            target = .unknown
            isSurelyReference = order != nil
            inverseName = Self.plural(entity.name)
        } else {
            target = .none
            isSurelyReference = false
            inverseName = nil
        }
    }

    /// The number and the name in `Z<number>_<NAME>`, which says of which entity the row is that `Z<NAME>` leads to.
    private static func companion(_ column: String) -> (number: Int64, name: String)? {
        guard column.hasPrefix("Z"), let place = column.firstIndex(of: "_") else { return nil }
        let digits = column[column.index(after: column.startIndex)..<place]
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int64(digits)
        else {
            return nil
        }
        return (number, String(column[column.index(after: place)...]))
    }

    /// Without the model the case of a name is lost.
    static func plainName(_ column: String) -> String {
        (column.hasPrefix("Z") ? String(column.dropFirst()) : column).lowercased()
    }

    /// A name for what has none: entities of this one.
    private static func plural(_ entity: String) -> String {
        entity.lowercased() + "s"
    }

    private static func form(_ declared: String) -> ValueForm? {
        switch SQLiteName.folded(declared) {
        case "integer": .int
        case "float": .double
        case "timestamp": .referenceDate
        case "decimal": .decimal
        case "blob": .externalData
        default: DeclaredType.form(declared)
        }
    }
}
