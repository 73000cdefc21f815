import LegacyRecords
import Reprise
import SQLiteFile

/// What is read of a database, and how it becomes records and lists. Made once, when a source is opened.
struct DatabasePlan: Sendable {
    /// A column and what becomes of it.
    struct Field: Sendable {
        enum Content: Sendable {
            case value(ValueForm)
            /// A row of another table.
            case reference(Target)
            /// The name of the entity with this number.
            case entity([Int64: String])
        }

        /// The column, or the name of the rowid.
        let column: String
        /// The stored name of the attribute or relationship.
        let name: String
        let content: Content
        /// Whether the type is the database's own word, or that of an earlier export, so that a value of another one is
        /// left out.
        var isDeclared = false
        /// Whether an earlier export has decided a narrower type.
        var isWidened = false
    }

    /// Where references lead.
    struct Target: Sendable {
        let table: String
        /// The column that is referred to, which has an index.
        let column: String
        let key: RowKey
        /// What is not read of its rows.
        let largeValues: LargeValues
    }

    /// A table whose rows become records.
    struct Table: Sendable {
        /// The model's stored name.
        let model: String
        let name: String
        let key: RowKey
        var fields: [Field]
        /// The attribute whose values are the keys of all records, in the same words.
        var keyField: String?
        /// The column of the key where records have no such attribute, and the key does not say all of its values.
        var keptIdentifier: String?
        /// What the rows are sorted by: expressions of SQL.
        let order: [String]
        let rowCount: Int
        /// What is not read of them.
        let largeValues: LargeValues
        /// A query for the times of the rows, by the number of the row; see ``CoreDataHistory``.
        var times: String?
    }

    /// A table whose rows become the entries of lists.
    struct List: Sendable {
        let table: String
        /// The owner's model and the relationship, by stored names.
        let model: String
        let name: String
        let ownerColumn: String
        let owner: Target
        let memberColumn: String
        let member: Target
        /// What entries are sorted by within a list: expressions of SQL.
        let order: [String]
        let rowCount: Int
    }

    var schema: SchemaDescription
    /// In the order of the schema's models.
    var tables: [Table]
    var lists: [List]
    /// What is to be said of the database as a whole.
    var warnings: [LegacyWarning]
    /// What the examination of the database has found.
    let examination: SQLiteExamination
    /// What was decided on where the database does not say.
    var interpretation = SourceInterpretation()
    /// Where large values are, for Core Data.
    var externalDirectory: String?
    /// Whether a value names a file there, and reading without the directory is refused.
    var needsExternalFiles = false

    /// The attributes that were widened, by model.
    var widenedFields: [String: Set<String>] {
        let fields = tables.map { table in (table.model, Set(table.fields.filter(\.isWidened).map(\.name))) }
        return Dictionary(fields.filter { !$0.1.isEmpty }, uniquingKeysWith: { $0.union($1) })
    }

    var rowCount: Int {
        tables.reduce(0) { $0 + $1.rowCount } + lists.reduce(0) { $0 + $1.rowCount }
    }
}

extension DatabasePlan {
    /// The same, in which some attributes are read as they are stored, and nothing is said of what they were taken for.
    ///
    /// - Parameter wanted: the attributes, by model.
    func storedValues(of wanted: [String: Set<String>]) -> DatabasePlan {
        var plan = self
        for (place, table) in tables.enumerated() {
            plan.tables[place].fields = table.fields.map { field in
                guard wanted[table.model]?.contains(field.name) == true, case .value(let form) = field.content,
                    !form.mayBeExternal
                else { return field }
                plan.warnings.removeAll { warning in
                    [.guessedDate, .guessedFlag, .mixedTypes, .mergedTypes].contains(warning.kind)
                        && warning.message.hasPrefix("\(table.name).\(field.column) ")
                }
                return Field(column: field.column, name: field.name, content: .value(.stored))
            }
        }
        return plan
    }
}
