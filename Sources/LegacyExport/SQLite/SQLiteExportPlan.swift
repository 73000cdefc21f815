import LegacyRecords
import Reprise
import SQLiteFile

/// How the models of a store are told as tables.
struct SQLiteExportPlan {
    /// What a column holds.
    enum Content {
        case identifier
        /// An attribute, by its stored name.
        case attribute(String, ValueType)
        /// Where the row stands in the list of those that refer to the same row.
        case position
    }

    struct Column {
        let name: String
        let content: Content
        /// What follows the name in the declaration.
        let declaration: String
    }

    struct Table {
        let model: String
        let name: String
        var columns: [Column] = []
    }

    /// A list of a model, and where its entries go.
    struct List {
        /// The table of the owners, by index.
        let owner: Int
        /// The stored name.
        let name: String
        let target: Target
        /// What happens to an entry when its owner is deleted, and when its member is.
        var actions = (owner: "CASCADE", member: "CASCADE")

        enum Target {
            /// A join table.
            case join(name: String, member: Int)
            /// A column of the members that says where they stand.
            case column(name: String, member: Int)
        }
    }

    /// An index.
    struct Index {
        let name: String
        let table: String
        let columns: [String]
        let isUnique: Bool
    }

    private(set) var tables: [Table] = []
    private(set) var lists: [List] = []
    private(set) var indexes: [Index] = []
    private var names = Names()

    /// Names that SQLite tells apart, of which there is one each.
    struct Names {
        private var taken: Set<String> = []

        mutating func claim(_ wanted: String) -> String {
            // Names that begin so are SQLite's own.
            let wanted = SQLiteName.folded(wanted).hasPrefix("sqlite_") ? "_" + wanted : wanted
            var name = wanted
            var number = 2
            while !taken.insert(SQLiteName.folded(name)).inserted {
                name = "\(wanted)_\(number)"
                number += 1
            }
            return name
        }
    }

    private let survey: SQLiteExportSurvey

    init(
        _ schema: SchemaDescription,
        _ survey: SQLiteExportSurvey,
        _ ledger: inout ExportLedger
    ) {
        self.survey = survey
        for model in schema.models {
            let name = names.claim(model.name)
            if name != model.name {
                ledger.warn(.changedName, "The table of \(model.name) is called \(name).")
            }
            tables.append(Table(model: model.name, name: name))
        }
        for (place, model) in schema.models.enumerated() {
            addColumns(of: model, place, schema, &ledger)
        }
        for (place, model) in schema.models.enumerated() {
            addJoins(of: model, place, schema, &ledger)
        }
        for (place, model) in schema.models.enumerated() { addIndexes(of: model, place) }
        noteRules(schema, &ledger)
    }

    // MARK: Columns

    private mutating func addColumns(
        of model: ModelDescription,
        _ place: Int,
        _ schema: SchemaDescription,
        _ ledger: inout ExportLedger
    ) {
        var names = Names()
        let identifier = Column(
            name: names.claim("id"),
            content: .identifier,
            declaration: "TEXT PRIMARY KEY NOT NULL"
        )
        tables[place].columns.append(identifier)
        for attribute in model.attributes {
            let name = names.claim(attribute.name)
            if name != attribute.name {
                ledger.warn(.changedName, "\(model.name).\(attribute.name) is called \(name).")
            }
            tables[place].columns.append(
                Column(
                    name: name,
                    content: .attribute(attribute.name, attribute.type),
                    declaration: declaration(of: attribute, name, model, place, schema)
                )
            )
            if !attribute.type.isScalar, attribute.type != .reference {
                ledger.warn(.collectionAsText, "\(model.name).\(attribute.name) is JSON text.")
            }
        }
        for attribute in model.attributes where attribute.type == .reference {
            guard let found = schema.relation(of: attribute, model),
                case .reference = found.relation.kind, let list = found.other.name,
                let owner = schema.models.firstIndex(where: { $0.number == found.other.model })
            else { continue }
            let wanted = attribute.name + "_position"
            let name = names.claim(wanted)
            if name != wanted {
                ledger.warn(
                    .changedName,
                    "Where a row stands by its \(model.name).\(attribute.name) is called \(name)."
                )
            }
            tables[place].columns.append(
                Column(name: name, content: .position, declaration: "INTEGER")
            )
            lists.append(
                List(owner: owner, name: list, target: .column(name: name, member: place))
            )
        }
    }

    private func declaration(
        of attribute: AttributeDescription,
        _ name: String,
        _ model: ModelDescription,
        _ place: Int,
        _ schema: SchemaDescription
    ) -> String {
        var text =
            switch attribute.type {
            case .bool, .int: "INTEGER"
            case .double, .float: "REAL"
            case .data: "BLOB"
            default: "TEXT"
            }
        if survey.isComplete(attribute, ofModelAt: place) { text += " NOT NULL" }
        if attribute.type == .bool { text += " CHECK (\(SQLiteName.quoted(name)) IN (0, 1))" }
        if let found = schema.relation(of: attribute, model),
            let target = schema.models.firstIndex(where: { $0.number == found.other.model })
        {
            text +=
                " REFERENCES \(SQLiteName.quoted(tables[target].name))(\"id\")"
                + " ON DELETE \(Self.action(found.other.onDelete)) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    /// What happens to a row when the one that it refers to is deleted.
    private static func action(_ rule: DeleteRule) -> String {
        switch rule {
        case .nullify: "SET NULL"
        case .cascade: "CASCADE"
        case .deny: "RESTRICT"
        }
    }

    /// What happens to the entries of a list when a row on one side of it is deleted: they go, or forbid it.
    private static func entryAction(_ rule: DeleteRule) -> String {
        rule == .deny ? action(.deny) : action(.cascade)
    }

    // MARK: Lists and indexes

    private mutating func addJoins(
        of model: ModelDescription,
        _ place: Int,
        _ schema: SchemaDescription,
        _ ledger: inout ExportLedger
    ) {
        for list in schema.orderedLists(of: model) {
            guard case .list = list.relation.kind,
                let member = schema.models.firstIndex(where: { $0.number == list.target.number })
            else { continue }
            let wanted = "\(tables[place].name)_\(list.name)"
            let name = names.claim(wanted)
            if name != wanted {
                ledger.warn(
                    .changedName,
                    "The table of \(model.name).\(list.name) is called \(name)."
                )
            }
            let relation = list.relation
            lists.append(
                List(
                    owner: place,
                    name: list.name,
                    target: .join(name: name, member: member),
                    actions: (
                        Self.entryAction(relation.source.onDelete), Self.entryAction(relation.target.onDelete)
                    )
                )
            )
            for column in ["owner", "target"] {
                addIndex(of: name, [column], isUnique: false)
            }
        }
    }

    private mutating func addIndexes(of model: ModelDescription, _ place: Int) {
        let table = tables[place]
        var columns: [Int: String] = [:]
        for (column, attribute) in zip(table.columns.dropFirst(), model.attributes) {
            columns[attribute.slot] = column.name
        }
        for index in model.indexes {
            let types = index.slots.compactMap { model.attribute(slot: $0)?.type }
            // SQLite takes some numbers for the same that a store tells apart.
            let mayBeUnique = types.allSatisfy {
                [.bool, .int, .string, .data, .uuid, .reference].contains($0)
            }
            addIndex(
                of: table.name,
                index.slots.compactMap { columns[$0] },
                isUnique: index.isUnique && mayBeUnique
            )
        }
        // Deleting would look through the whole table for each row that it deletes.
        for attribute in model.attributes
        where attribute.type == .reference
            && !model.indexes.contains(where: { $0.slots.first == attribute.slot })
        {
            addIndex(of: table.name, [columns[attribute.slot] ?? attribute.name], isUnique: false)
        }
    }

    private mutating func addIndex(of table: String, _ columns: [String], isUnique: Bool) {
        let name = names.claim(([table] + columns + ["index"]).joined(separator: "_"))
        indexes.append(Index(name: name, table: table, columns: columns, isUnique: isUnique))
    }

    private func noteRules(_ schema: SchemaDescription, _ ledger: inout ExportLedger) {
        for relation in schema.relations {
            let name =
                "\(schema.model(relation.source.model)?.name ?? "").\(relation.source.name ?? "")"
            switch relation.kind {
            case .reference where relation.source.onDelete != .nullify:
                ledger.warn(
                    .lostRule,
                    "SQL has no rule for deleting what a row refers to: that of \(name) is left out."
                )
            case .list
            where relation.source.onDelete == .cascade || relation.target.onDelete == .cascade:
                ledger.warn(
                    .lostRule,
                    "Deleting one side of \(name) only deletes the entries, and not what is on the other: that rule is "
                        + "left out."
                )
            default: break
            }
        }
    }
}

extension SQLiteExportPlan {
    /// The statements that make the tables.
    var tableStatements: [String] {
        let ending = SQLiteNewDatabase.hasStrictTables ? ") STRICT" : ")"
        let quoted = SQLiteName.quoted
        var statements = tables.map { table in
            let columns = table.columns.map { "\(quoted($0.name)) \($0.declaration)" }
            return
                "CREATE TABLE \(quoted(table.name)) (\n  \(columns.joined(separator: ",\n  "))\n\(ending)"
        }
        for list in lists {
            guard case .join(let name, let member) = list.target else { continue }
            let columns = [
                ("owner", tables[list.owner].name, list.actions.owner),
                ("target", tables[member].name, list.actions.member),
            ]
            .map { column, table, action in
                "\(quoted(column)) TEXT NOT NULL REFERENCES \(quoted(table))(\"id\")"
                    + " ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
            }
            statements.append(
                "CREATE TABLE \(quoted(name)) (\n  \"id\" INTEGER PRIMARY KEY,\n  "
                    + columns.joined(separator: ",\n  ")
                    + ",\n  \"position\" INTEGER NOT NULL\n\(ending)"
            )
        }
        return statements
    }

    /// The statements that make the indexes, once everything is in the tables.
    var indexStatements: [String] {
        let quoted = SQLiteName.quoted
        return indexes.map { index in
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(quoted(index.name)) ON \(quoted(index.table)) "
                + "(\(index.columns.map(quoted).joined(separator: ", ")))"
        }
    }

    /// The statement that adds a row to a table: a parameter for each column but the positions.
    func insertion(into table: Table) -> String {
        let columns = table.columns.filter {
            if case .position = $0.content { false } else { true }
        }
        let names = columns.map { SQLiteName.quoted($0.name) }
        let parameters = (1...columns.count).map { "?\($0)" }
        return "INSERT INTO \(SQLiteName.quoted(table.name)) (\(names.joined(separator: ", "))) "
            + "VALUES (\(parameters.joined(separator: ", ")))"
    }

    /// The statement that writes an entry of a list. Its parameters are the target, the position and, for a join table,
    /// the owner.
    func entry(of list: List) -> String {
        let quoted = SQLiteName.quoted
        switch list.target {
        case .join(let name, _):
            return
                "INSERT INTO \(quoted(name)) (\"target\", \"position\", \"owner\") VALUES (?1, ?2, ?3)"
        case .column(let name, let member):
            return
                "UPDATE \(quoted(tables[member].name)) SET \(quoted(name)) = ?2 WHERE \"id\" = ?1"
        }
    }
}
