extension SQLiteDatabase {
    /// How many tables are read at most.
    public static let tableCountMax = 2000
    /// How many columns are read at most, of all tables together.
    public static let columnCountMax = 100_000

    /// The tables of the database, without SQLite's own, in the order in which they were made.
    ///
    /// - Throws: ``SQLiteFileError``: `invalidText` where a table, a column or an index has a name that is no UTF-8, by
    ///   which it could not be asked for.
    /// - Complexity: O(columns + indexes).
    public func tables() throws(SQLiteFileError) -> [SQLiteTable] {
        // By bytes: two texts of the same characters may be two tables.
        var kinds: [[UInt8]: (kind: SQLiteTable.Kind, isWithoutRowid: Bool, isStrict: Bool)] = [:]
        let list = try prepare("PRAGMA table_list")
        while try list.step() {
            guard list.text(at: 0) == "main" else { continue }
            let kind = list.text(at: 2).flatMap(SQLiteTable.Kind.init(rawValue:)) ?? .virtual
            guard let name = list.text(at: 1) else {
                // A view is not read anyway.
                if kind == .view { continue }
                throw SQLiteFileError(.invalidText, "A table has a name that is no UTF-8.")
            }
            kinds[SQLiteName.bytes(name)] = (
                kind, list.integer(at: 4) != 0, list.integer(at: 5) != 0
            )
        }
        var names: [String] = []
        let order = try prepare(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid"
        )
        while try order.step() {
            guard let name = order.text(at: 0), kinds[SQLiteName.bytes(name)] != nil else {
                continue
            }
            if !SQLiteName.folded(name).hasPrefix("sqlite_") { names.append(name) }
        }
        guard names.count <= Self.tableCountMax else {
            throw SQLiteFileError(.limitExceeded, "The database has \(names.count) tables.")
        }
        var tables: [SQLiteTable] = []
        var columnCount = 0
        for name in names {
            guard let found = kinds.removeValue(forKey: SQLiteName.bytes(name)) else { continue }
            let isTable = found.kind == .table || found.kind == .shadow
            let columns = isTable ? try columns(of: name) : []
            columnCount += columns.count
            guard columnCount <= Self.columnCountMax else {
                throw SQLiteFileError(
                    .limitExceeded,
                    "The database has more than \(Self.columnCountMax) columns."
                )
            }
            tables.append(
                SQLiteTable(
                    name: name,
                    kind: found.kind,
                    isWithoutRowid: found.isWithoutRowid,
                    isStrict: found.isStrict,
                    columns: columns,
                    foreignKeys: isTable ? try foreignKeys(of: name) : [],
                    indexes: isTable ? try indexes(of: name) : []
                )
            )
        }
        return tables
    }

    private func columns(of table: String) throws(SQLiteFileError) -> [SQLiteColumn] {
        var columns: [SQLiteColumn] = []
        let rows = try prepare("PRAGMA table_xinfo(\(SQLiteName.quoted(table)))")
        while try rows.step() {
            guard let name = rows.text(at: 1) else {
                throw SQLiteFileError(
                    .invalidText,
                    "A column of \(table) has a name that is no UTF-8."
                )
            }
            let origin: SQLiteColumn.Origin =
                switch rows.integer(at: 6) {
                case 0: .stored
                case 2: .virtuallyGenerated
                case 3: .generatedAndStored
                default: .hidden
                }
            columns.append(
                SQLiteColumn(
                    name: name,
                    declaredType: rows.text(at: 2) ?? "",
                    isNotNull: rows.integer(at: 3) != 0,
                    primaryKeyPlace: Int(clamping: rows.integer(at: 5)),
                    origin: origin
                )
            )
        }
        return columns
    }

    private func foreignKeys(of table: String) throws(SQLiteFileError) -> [SQLiteForeignKey] {
        struct Draft {
            var table: String
            var onDelete: SQLiteForeignKey.Action
            var parts: [(place: Int64, part: SQLiteForeignKey.Part)] = []
        }
        var drafts: [Int64: Draft] = [:]
        let rows = try prepare("PRAGMA foreign_key_list(\(SQLiteName.quoted(table)))")
        while try rows.step() {
            guard let target = rows.text(at: 2), let column = rows.text(at: 3) else { continue }
            let action =
                rows.text(at: 6).flatMap(SQLiteForeignKey.Action.init(rawValue:)) ?? .noAction
            let part = SQLiteForeignKey.Part(column: column, target: rows.text(at: 4))
            drafts[rows.integer(at: 0), default: Draft(table: target, onDelete: action)].parts
                .append((rows.integer(at: 1), part))
        }
        // SQLite numbers them from the last declaration to the first.
        return drafts.sorted { $0.key > $1.key }.map { _, draft in
            SQLiteForeignKey(
                table: draft.table,
                parts: draft.parts.sorted { $0.place < $1.place }.map(\.part),
                onDelete: draft.onDelete
            )
        }
    }

    private func indexes(of table: String) throws(SQLiteFileError) -> [SQLiteIndex] {
        var indexes: [(number: Int64, index: SQLiteIndex)] = []
        let rows = try prepare("PRAGMA index_list(\(SQLiteName.quoted(table)))")
        while try rows.step() {
            guard let name = rows.text(at: 1) else {
                throw SQLiteFileError(
                    .invalidText,
                    "An index of \(table) has a name that is no UTF-8."
                )
            }
            var columns: [String?] = []
            var appCollations: [String] = []
            let parts = try prepare("PRAGMA index_xinfo(\(SQLiteName.quoted(name)))")
            // What is not part of the key only leads to the row.
            while try parts.step() {
                guard parts.integer(at: 5) != 0 else { continue }
                columns.append(parts.text(at: 2))
                let collation = parts.text(at: 4) ?? ""
                if !SQLiteIndex.knownCollations.contains(SQLiteName.folded(collation)) {
                    appCollations.append(collation)
                }
            }
            let index = SQLiteIndex(
                name: name,
                isUnique: rows.integer(at: 2) != 0,
                origin: rows.text(at: 3).flatMap(SQLiteIndex.Origin.init(rawValue:)) ?? .created,
                isPartial: rows.integer(at: 4) != 0,
                columns: columns,
                appCollations: appCollations
            )
            indexes.append((rows.integer(at: 0), index))
        }
        return indexes.sorted { $0.number > $1.number }.map(\.index)
    }
}
