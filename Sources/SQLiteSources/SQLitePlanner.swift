import LegacyRecords
import Reprise
import SQLiteFile

/// Makes the plan for a database that no framework describes: tables become models, columns attributes, foreign keys
/// relationships, join tables lists.
struct SQLitePlanner {
    /// A table that is read as records, and what was found in it.
    struct Source {
        let table: SQLiteTable
        let survey: TableSurvey
        let key: RowKey
        /// What it is called where it has the rows of a full-text table.
        let content: SearchTables.Content?
        /// The foreign keys that become relationships, by the names of their columns.
        var references: [(column: SQLiteColumn, reference: Reference)] = []

        var name: String { content?.table ?? table.name }
        func name(of column: SQLiteColumn) -> String {
            content?.columns[SQLiteName.bytes(column.name)] ?? column.name
        }
    }

    /// Where a foreign key of one column leads.
    struct Reference {
        /// The referred table's place among the tables.
        let target: Int
        let column: String
        let onDelete: SQLiteForeignKey.Action
    }

    let database: SQLiteDatabase
    /// What was decided on in an earlier export.
    let earlier: SourceInterpretation
    var interpretation = SourceInterpretation()
    private(set) var sources: [Source] = []
    var joins: [JoinTable] = []
    private(set) var warnings: [LegacyWarning] = []
    private let earlierExamination: SQLiteExamination?
    private var examination = SQLiteExamination()
    /// Whether no two rows have the same values where an index says so.
    private var mayBeUnique = true

    /// - Parameters:
    ///   - earlier: what was decided on in an earlier export.
    ///   - examination: that of the database, where it was examined already: it cannot be a second time.
    init(
        _ database: SQLiteDatabase,
        asIn earlier: SourceInterpretation = SourceInterpretation(),
        after examination: SQLiteExamination? = nil
    ) {
        self.database = database
        self.earlier = earlier
        earlierExamination = examination
    }

    /// - Throws: ``SQLiteFileError`` or ``LegacyError``.
    mutating func plan() throws -> DatabasePlan {
        examination = try earlierExamination ?? database.check()
        for sentence in examination.unexamined { warn(.unexaminedTable, sentence) }
        for remark in examination.remarks {
            if remark.hasPrefix("non-unique") || remark.hasPrefix("and ") { mayBeUnique = false }
            warn(.brokenRule, "The database breaks a rule of its own schema: \(remark)")
        }
        if earlierExamination == nil { try database.standInForCollations() }
        let all = try database.tables()
        let search = try SearchTables(all, in: database)
        for note in search.notes { warn(.bookkeepingTable, note) }
        for table in all where search.content(table) != nil || !search.isIndex(table) && mayRead(table) {
            do {
                try add(table, search.content(table))
            } catch let error as SQLiteFileError
                where error.code == .unsupportedContent || error.code == .limitExceeded
            {
                warn(.skippedTable, "\(table.name) cannot be read, and was left out: \(error.message)")
            }
        }
        let places = Dictionary(
            sources.enumerated().map { (SQLiteName.bytes($0.element.table.name), $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        for place in sources.indices { try resolveForeignKeys(place, places) }
        try findJoinTables()
        return try build()
    }

    mutating func warn(_ kind: LegacyWarning.Kind, _ message: String) {
        warn(LegacyWarning(kind: kind, message: message))
    }

    mutating func warn(_ warning: LegacyWarning) {
        warnings.append(warning)
    }

    // MARK: Tables

    /// Tables of frameworks that hold nothing of the app's own.
    private static let bookkeeping: Set<String> = [
        "grdb_migrations", "android_metadata", "room_master_table", "schema_migrations",
    ]

    private mutating func mayRead(_ table: SQLiteTable) -> Bool {
        let name = SQLiteName.folded(table.name)
        switch table.kind {
        case .table: break
        case .view: return false
        case .virtual, .shadow:
            warn(
                .skippedTable,
                "\(table.name) belongs to a search index or another module; it was left out."
            )
            return false
        }
        if Self.bookkeeping.contains(name) || name.hasPrefix("sqlitedata_icloud_") {
            warn(.bookkeepingTable, "\(table.name) is bookkeeping of a framework; it was left out.")
            return false
        }
        if table.readableColumns.isEmpty {
            warn(.skippedTable, "\(table.name) has no column that can be read; it was left out.")
            return false
        }
        return true
    }

    private mutating func add(_ table: SQLiteTable, _ content: SearchTables.Content?) throws {
        for column in table.columns where column.origin == .virtuallyGenerated {
            warn(
                .generatedColumn,
                "\(table.name).\(column.name) is computed from other columns; it was left out."
            )
        }
        let columns = table.readableColumns.map { column in
            let depth = DeclaredType.depth(DeclaredType.form(column.declaredType))
                .union(DeclaredType.depth(earlier.form(of: column.name, in: table.name)))
            let isUnique =
                column.primaryKeyPlace > 0 || table.hasIndex(by: column.name, isUnique: true)
            return (column.name, isUnique ? depth.union(.validText) : depth)
        }
        let survey = try TableSurvey(of: table, columns, in: database)
        let earlierKey = earlier[DatabaseChoice.key(of: table.name)]
        let earlierSorts = earlier[DatabaseChoice.sorts(of: table.name)]
        let key = try RowKey(
            of: table,
            survey,
            in: database,
            examination,
            asIn: earlierKey,
            sorts: earlierSorts
        )
        guard let key else {
            warn(.skippedTable, "\(table.name) has no rows that can be named; it was left out.")
            return
        }
        if let earlierKey { noteChangedKey(from: earlierKey, to: key) }
        if let earlierSorts { noteChangedSorts(from: earlierSorts, of: key, survey) }
        sources.append(Source(table: table, survey: survey, key: key, content: content))
        warnings += survey.largeValues.warnings(of: table.name)
    }

    // MARK: Foreign keys

    private mutating func resolveForeignKeys(_ place: Int, _ places: [[UInt8]: Int]) throws {
        let table = sources[place].table
        let columns = Dictionary(
            table.readableColumns.map { (SQLiteName.bytes($0.name), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var seen: Set<[UInt8]> = []
        for foreignKey in table.foreignKeys {
            let names = foreignKey.parts.map(\.column).joined(separator: ", ")
            guard foreignKey.parts.count == 1, let part = foreignKey.parts.first else {
                warn(
                    .plainForeignKey,
                    "\(table.name) refers to \(foreignKey.table) by several columns (\(names)); "
                        + "they stayed plain values."
                )
                continue
            }
            // What is computed when it is read is left out, which is said.
            if table.column(part.column)?.origin == .virtuallyGenerated { continue }
            if isPlainValue(part.column, of: table) { continue }
            // Declared twice: the first counts.
            guard seen.insert(SQLiteName.bytes(part.column)).inserted else { continue }
            guard let column = columns[SQLiteName.bytes(part.column)],
                let target = places[SQLiteName.bytes(foreignKey.table)],
                let name = part.target ?? Self.onlyKey(sources[target].table),
                let targetColumn = sources[target].table.column(name),
                try sources[target].table.isKey(targetColumn.name, in: database, examination)
            else {
                warn(
                    .plainForeignKey,
                    "\(table.name).\(names) refers to \(foreignKey.table), in which no row can be found by it; "
                        + "it stayed a plain value."
                )
                continue
            }
            let reference = Reference(
                target: target,
                column: targetColumn.name,
                onDelete: foreignKey.onDelete
            )
            sources[place].references.append((column, reference))
        }
    }

    private static func onlyKey(_ table: SQLiteTable) -> String? {
        table.primaryKey.count == 1 ? table.primaryKey[0].name : nil
    }

    // MARK: The schema

    private mutating func build() throws -> DatabasePlan {
        for place in sources.indices { noteChoices(place) }
        let joinPlaces = Set(joins.map(\.place))
        let order = referencedFirst(sources.indices.filter { !joinPlaces.contains($0) })
        var builder = LegacySchemaBuilder(classes: order.map { sources[$0].name })
        var models: [Int: LegacySchemaBuilder.ModelID] = [:]
        for place in order {
            let source = sources[place]
            let columns = source.table.readableColumns.filter { !isPlainKey($0.name, source) }
            models[place] = builder.addModel(source.name, properties: columns.map(source.name(of:)))
        }
        var tables: [DatabasePlan.Table] = []
        for place in order {
            guard let model = models[place] else { continue }
            tables.append(try table(place, model, models, &builder))
        }
        var lists: [DatabasePlan.List] = []
        for join in joins {
            guard let owner = models[join.owner.reference.target],
                let member = models[join.member.reference.target]
            else { continue }
            lists.append(list(join, owner, member, &builder))
        }
        interpretation.add(earlier)
        return DatabasePlan(
            schema: try builder.build(),
            tables: tables,
            lists: lists,
            warnings: warnings + builder.notes,
            examination: examination,
            interpretation: interpretation
        )
    }

    /// Tables after those that they refer to, where that is possible; otherwise as they stand in the database.
    private func referencedFirst(_ places: [Int]) -> [Int] {
        var order: [Int] = []
        var left = places
        var done: Set<Int> = []
        while !left.isEmpty {
            let free = left.filter { place in
                sources[place].references.allSatisfy { reference in
                    reference.reference.target == place || done.contains(reference.reference.target)
                }
            }
            let next = free.isEmpty ? [left[0]] : free
            order += next
            done.formUnion(next)
            left.removeAll { done.contains($0) }
        }
        return order
    }

    private mutating func table(
        _ place: Int,
        _ model: LegacySchemaBuilder.ModelID,
        _ models: [Int: LegacySchemaBuilder.ModelID],
        _ builder: inout LegacySchemaBuilder
    ) throws -> DatabasePlan.Table {
        let source = sources[place]
        var fields: [DatabasePlan.Field] = []
        var names: [[UInt8]: String] = [:]
        var lists: [String: String] = [:]
        for column in source.table.readableColumns {
            let found = source.survey[column.name]
            let subject = DatabaseChoice.form(of: column.name, in: source.table.name)
            let content: DatabasePlan.Field.Content
            let name: String
            var leavesOut = false
            var isWidened = false
            if let reference = source.references.first(where: {
                SQLiteName.areSame($0.column.name, column.name)
            })?.reference,
                let target = models[reference.target]
            {
                let inverse = LegacySchemaBuilder.Inverse(
                    name: inverseName(of: column, in: source, at: reference.target),
                    onDelete: Self.rule(of: (column, reference), in: source.table)
                )
                let sides = builder.addReference(column.name, from: model, to: target, inverse: inverse)
                name = sides.name
                lists[column.name] = sides.inverse.map { "\(builder.name(of: target)).\($0)" }
                content = .reference(self.target(reference))
                interpretation[subject] = [DatabaseChoice.reference]
            } else if isPlainKey(column.name, source) {
                interpretation[subject] = [DatabaseChoice.identifier]
                continue
            } else {
                if let target = source.references.first(where: {
                    SQLiteName.areSame($0.column.name, column.name)
                })?.reference.target {
                    noteReferenceIntoList(column, source, sources[target])
                }
                let form: ValueForm
                (form, leavesOut) = self.form(of: column, source)
                let kept = earlier.form(of: column.name, in: source.table.name)
                isWidened = kept.map { Widening.exists(from: $0.type, to: form.type) } ?? false
                name = builder.addAttribute(
                    source.name(of: column),
                    form.type,
                    isOptional: found.nullCount > 0 || !column.isNotNull,
                    isIndexed: source.table.hasIndex(by: column.name, isUnique: false),
                    isUnique: mayBeUnique && !isKey(column.name, of: source)
                        && found.keepsDifference(in: form)
                        && source.table.hasIndex(by: column.name, isUnique: true),
                    to: model
                )
                content = .value(form)
                let wasReference = earlier[subject] == [DatabaseChoice.reference]
                interpretation[subject] = wasReference ? [DatabaseChoice.reference] : form.choice(found)
            }
            names[SQLiteName.bytes(column.name)] = name
            fields.append(
                DatabasePlan.Field(
                    column: column.name,
                    name: name,
                    content: content,
                    isDeclared: leavesOut,
                    isWidened: isWidened
                )
            )
        }
        for index in source.table.indexes where !index.isPartial && index.columns.count > 1 {
            let parts = index.columns.map { $0.flatMap { names[SQLiteName.bytes($0)] } }
            guard !parts.contains(nil) else { continue }
            builder.addIndex(over: parts.compactMap { $0 }, isUnique: false, to: model)
        }
        if source.key.isRowNumber, source.survey.rowCount > 0 {
            let hasKey = try !source.table.keyColumns(in: database, without: source.survey.largeValues).isEmpty
            let reason =
                hasKey
                ? "had no key in an earlier export and go on being told apart by their rowids"
                : "have no primary key and no unique columns that are never NULL; their rowids stand in"
            let message =
                "The \(source.survey.rowCount) rows of \(source.table.name) \(reason), which VACUUM and a copy by "
                + ".dump may change."
            let name = builder.name(of: model)
            warnings.append(LegacyWarning(kind: .rowNumberKey, message: message, of: name))
        }
        let order = RowOrder.order(of: source)
        try noteOrders(order, of: source.table, lists, without: source.survey.largeValues)
        return DatabasePlan.Table(
            model: builder.name(of: model),
            name: source.table.name,
            key: source.key,
            fields: fields,
            keyField: keyField(of: source, names),
            keptIdentifier: keptIdentifier(of: source),
            order: order.expressions,
            rowCount: source.survey.rowCount,
            largeValues: source.survey.largeValues
        )
    }

    /// The referring table's name, unless the table referred to has a column of that name, which keeps it.
    private func inverseName(of column: SQLiteColumn, in source: Source, at target: Int) -> String {
        let name = source.table.name
        let isTaken = sources[target].table.columns.contains {
            StoredName.nearest(to: $0.name) == StoredName.nearest(to: name)
        }
        return isTaken ? "\(name)_\(column.name)" : name
    }

    func target(_ reference: Reference) -> DatabasePlan.Target {
        let source = sources[reference.target]
        return DatabasePlan.Target(
            table: source.table.name,
            column: reference.column,
            key: source.key,
            largeValues: source.survey.largeValues
        )
    }
}
