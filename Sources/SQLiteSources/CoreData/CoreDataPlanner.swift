import LegacyRecords
import Reprise
import SQLiteFile

/// Makes the plan for a Core Data store from its tables.
struct CoreDataPlanner {
    /// An entity with a table of its own.
    struct Root {
        let entity: CoreDataEntities.Entity
        let table: SQLiteTable
        /// It and what inherits from it.
        let family: [Int64: String]
        let survey: TableSurvey
        let columns: [CoreDataColumn]
        var key: RowKey { RowKey(table: table.name, columns: ["Z_PK"]) }
    }

    let database: SQLiteDatabase
    /// What was decided on in an earlier export.
    let earlier: SourceInterpretation
    var interpretation = SourceInterpretation()
    private let earlierExamination: SQLiteExamination?
    private var examination = SQLiteExamination()
    let entities: CoreDataEntities
    private let names: CoreDataNames
    private(set) var roots: [Root] = []
    private(set) var joins: [CoreDataJoin] = []
    private var history: CoreDataHistory?
    /// How often values may still be compared with the rows of an entity.
    private var triesLeft = 20_000
    private(set) var warnings: [LegacyWarning] = []

    /// - Parameters:
    ///   - earlier: what was decided on in an earlier export.
    ///   - examination: that of the store, where it was examined already: it cannot be a second time.
    init(
        _ database: SQLiteDatabase,
        asIn earlier: SourceInterpretation,
        after examination: SQLiteExamination?
    ) throws {
        self.database = database
        self.earlier = earlier
        earlierExamination = examination
        entities = try CoreDataEntities(database)
        let model = try CoreDataModel.cached(in: database)
        names = CoreDataNames(entities, model)
    }

    /// - Parameters:
    ///   - externalDirectory: where large values are.
    ///   - allowsMissingFiles: whether reading goes on where that directory is missing.
    mutating func plan(externalDirectory: String, allowsMissingFiles: Bool) throws -> DatabasePlan {
        examination = try earlierExamination ?? database.check()
        for sentence in examination.unexamined { warn(.unexaminedTable, sentence) }
        if earlierExamination == nil { try database.standInForCollations() }
        for remark in examination.remarks {
            warn(.brokenRule, "The store breaks a rule of its own schema: \(remark)")
        }
        if names.model == nil {
            warn(
                .guessedRelationship,
                "The store does not hold its model; names are in lower case and relationships were told by names."
            )
        }
        let tables = try database.tables()
        history = CoreDataHistory(tables)
        // A table is called like its entity in capital letters, those of other alphabets too.
        let tablesByName = Dictionary(
            tables.filter { $0.kind == .table }.map { ($0.name.uppercased(), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for entity in entities.roots {
            try add(entity, tablesByName["Z" + entity.name.uppercased()])
        }
        findJoins(tables)
        try leaveOutForeign(tables)
        return try build(externalDirectory, allowsMissingFiles)
    }

    mutating func warn(_ kind: LegacyWarning.Kind, _ message: String) {
        warn(LegacyWarning(kind: kind, message: message))
    }

    mutating func warn(_ warning: LegacyWarning) {
        warnings.append(warning)
    }

    // MARK: Tables

    private mutating func add(_ entity: CoreDataEntities.Entity, _ table: SQLiteTable?) throws {
        let family = entities.family(of: entity)
        guard let table, table.column("Z_PK") != nil, table.rowidColumn?.name == "Z_PK"
        else {
            warn(.skippedTable, "The entity \(entity.name) has no table; nothing of it was read.")
            return
        }
        let columns = CoreDataColumn.columns(of: table, entity: entity, entities, names)
        let survey = try TableSurvey(
            of: table,
            table.readableColumns.map { column in
                let own = columns.first { SQLiteName.areSame($0.column.name, column.name) }
                let depth = DeclaredType.depth(own?.form == .referenceDate ? nil : own?.form)
                    .union(DeclaredType.depth(earlier.form(of: column.name, in: table.name)))
                return (column.name, own?.isUnique == true ? depth.union(.validText) : depth)
            },
            in: database
        )
        roots.append(
            Root(entity: entity, table: table, family: family, survey: survey, columns: columns)
        )
        for warning in survey.largeValues.warnings(of: table.name) { warn(warning) }
    }

    private mutating func findJoins(_ tables: [SQLiteTable]) {
        for table in tables {
            if let join = CoreDataJoin(table, entities) { joins.append(join) }
        }
    }

    // MARK: The schema

    private mutating func build(
        _ externalDirectory: String,
        _ allowsMissingFiles: Bool
    ) throws -> DatabasePlan {
        let targets = try roots.map { root in
            try root.columns.map { try target(of: $0, in: root) }
        }
        let order = referencedFirst(targets)
        var builder = LegacySchemaBuilder()
        var models: [Int: LegacySchemaBuilder.ModelID] = [:]
        for place in order { models[place] = builder.addModel(roots[place].entity.name) }
        // Lists first: their names come from the store, those of the other sides of to-ones may be made up.
        var lists: [DatabasePlan.List] = []
        for join in joins {
            if let list = try list(join, models, &builder) { lists.append(list) }
        }
        var tables: [DatabasePlan.Table] = []
        for place in order {
            guard let model = models[place] else { continue }
            tables.append(try table(place, model, targets[place], models, &builder))
        }
        interpretation.add(earlier)
        return DatabasePlan(
            schema: try builder.build(),
            tables: tables,
            lists: lists,
            warnings: warnings + builder.notes,
            examination: examination,
            interpretation: interpretation,
            externalDirectory: externalDirectory,
            needsExternalFiles: !allowsMissingFiles && hasExternalFiles
        )
    }

    private func referencedFirst(_ targets: [[Int?]]) -> [Int] {
        var order: [Int] = []
        var left = Array(roots.indices)
        var done: Set<Int> = []
        while !left.isEmpty {
            let free = left.filter { place in
                targets[place].allSatisfy { $0 == nil || $0 == place || done.contains($0 ?? place) }
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
        _ targets: [Int?],
        _ models: [Int: LegacySchemaBuilder.ModelID],
        _ builder: inout LegacySchemaBuilder
    ) throws -> DatabasePlan.Table {
        let root = roots[place]
        var fields: [DatabasePlan.Field] = []
        var lists: [String: String] = [:]
        if root.family.count > 1 {
            let name = builder.addAttribute(
                "entity",
                .string,
                isOptional: true,
                isIndexed: true,
                to: model
            )
            fields.append(.init(column: "Z_ENT", name: name, content: .entity(root.family)))
        }
        for (column, target) in zip(root.columns, targets) {
            let name: String
            let content: DatabasePlan.Field.Content
            var isDeclared = false
            if let target, let targetModel = models[target] {
                let sides = builder.addReference(
                    column.name,
                    from: model,
                    to: targetModel,
                    onDelete: column.onDelete,
                    inverse: .init(name: column.inverseName, onDelete: column.inverseOnDelete)
                )
                name = sides.name
                lists[column.column.name] = sides.inverse.map { "\(builder.name(of: targetModel)).\($0)" }
                content = .reference(self.target(at: target))
            } else {
                let found = root.survey[column.column.name]
                let form: ValueForm
                (form, isDeclared) = self.form(of: column, in: root)
                name = builder.addAttribute(
                    column.name,
                    form.type,
                    isOptional: true,
                    isIndexed: column.isIndexed,
                    isUnique: column.isUnique && found.keepsDifference(in: form),
                    to: model
                )
                content = .value(form)
            }
            fields.append(
                .init(
                    column: column.column.name,
                    name: name,
                    content: content,
                    isDeclared: isDeclared
                )
            )
        }
        return DatabasePlan.Table(
            model: builder.name(of: model),
            name: root.table.name,
            key: root.key,
            fields: fields,
            order: try rowOrder(root, targets, lists),
            rowCount: root.survey.rowCount,
            largeValues: root.survey.largeValues,
            times: history?.query(of: root.family.keys)
        )
    }

    /// Whether a value is kept in a file.
    private var hasExternalFiles: Bool {
        roots.contains { root in
            root.columns.contains { root.survey[$0.column.name].hasExternal }
        }
    }

    // MARK: To-one relationships

    private func target(at place: Int) -> DatabasePlan.Target {
        let root = roots[place]
        return DatabasePlan.Target(
            table: root.table.name,
            column: "Z_PK",
            key: root.key,
            largeValues: root.survey.largeValues
        )
    }

    /// The place of the entity that a column leads to; nil for a plain value.
    private mutating func target(of column: CoreDataColumn, in root: Root) throws -> Int? {
        switch column.target {
        case .none: return nil
        case .entity(let number):
            guard let target = entities.root(of: number) else { return nil }
            return roots.firstIndex { $0.entity == target }
        case .unknown: return try guessedTarget(of: column, in: root)
        }
    }

    /// Whether a column is named like an entity or one that inherits from it.
    func isNamed(_ column: String, _ root: Root) -> Bool {
        let name = column.dropFirst().uppercased()
        return root.family.values.contains { $0.uppercased() == name }
    }

    /// The entities that have a row for each number in a column. Where there is no number none has; and only so many
    /// columns are tried.
    mutating func fittingRoots(_ column: CoreDataColumn, of root: Root) throws -> [Int] {
        guard root.survey[column.column.name].count > 0, triesLeft >= roots.count else { return [] }
        triesLeft -= roots.count
        return try roots.indices.filter { try fits(column.column.name, of: root, in: roots[$0]) }
    }

    private func fits(_ column: String, of root: Root, in target: Root) throws -> Bool {
        let name = SQLiteName.quoted(column)
        // A row that belongs to itself: numbers that count something rather than lead somewhere.
        if root.entity == target.entity {
            let rows = try database.prepare(
                "SELECT 1 FROM \(SQLiteName.quoted(root.table.name)) WHERE \(name) = \"Z_PK\" LIMIT 1"
            )
            if try rows.step() { return false }
        }
        let rows = try database.prepare(
            "SELECT 1 FROM \(SQLiteName.quoted(root.table.name)) AS a WHERE a.\(name) IS NOT NULL AND NOT EXISTS "
                + "(SELECT 1 FROM \(SQLiteName.quoted(target.table.name)) AS b WHERE b.\"Z_PK\" = a.\(name)) LIMIT 1"
        )
        return try !rows.step()
    }

    // MARK: Many-to-many relationships

    private mutating func list(
        _ join: CoreDataJoin,
        _ models: [Int: LegacySchemaBuilder.ModelID],
        _ builder: inout LegacySchemaBuilder
    ) throws -> DatabasePlan.List? {
        guard let ownerRoot = entities.root(of: join.ownerNumber),
            let memberRoot = entities.root(of: join.memberNumber),
            let owner = roots.firstIndex(where: { $0.entity == ownerRoot }),
            let member = roots.firstIndex(where: { $0.entity == memberRoot }),
            let ownerModel = models[owner], let memberModel = models[member]
        else {
            warn(
                .skippedTable,
                "\(join.table.name) relates entities that have no table; it was left out."
            )
            return nil
        }
        let relation = names.list(join)
        let name = builder.addList(
            relation.name,
            of: ownerModel,
            to: memberModel,
            onDelete: relation.onDelete,
            inverse: .init(name: relation.inverseName, onDelete: relation.inverseOnDelete)
        ).name
        let rowCount = try database.rowCount(of: join.table)
        if rowCount > 0 { try noteOrders(of: join, calledList: "\(ownerRoot.name).\(name)") }
        return DatabasePlan.List(
            table: join.table.name,
            model: builder.name(of: ownerModel),
            name: name,
            ownerColumn: join.ownerColumn,
            owner: target(at: owner),
            memberColumn: join.memberColumn,
            member: target(at: member),
            order: (join.orderColumn.map { [SQLiteName.quoted($0)] } ?? [])
                + RowOrder.rowOrder(join.table),
            rowCount: rowCount
        )
    }
}
