public import Reprise
import SQLiteFile

/// Writes a state as a SQLite database of ordinary tables, for any schema: what GRDB, SQLiteData and others open.
///
/// * A **model** is a table with `id TEXT PRIMARY KEY NOT NULL`; its rows are added in the order of their identifiers.
///   Tables are `STRICT` where SQLite knows it (3.37 and later). A name that differs from another only in upper and
///   lower case gets a number (`changedName`).
/// * **Attributes** are columns: Bool and Int `INTEGER`, Double and Float `REAL`, text, UUID (small letters) and
///   Decimal `TEXT`, data `BLOB`. A date is `TEXT`, `yyyy-MM-dd HH:mm:ss.SSS` in UTC with three to nine digits of the
/// fraction,
///   as many as tell the date: GRDB and SQLiteData read them all, and texts of three digits sort as dates do. Lists,
///   sets, maps and structs are JSON text (`collectionAsText`), in which data is Base64, and what is no finite number
///   `"nan"`, `"inf"` or `"-inf"`.
/// * What is required is `NOT NULL` where every row has a value that SQLite has. It has no NaN: that becomes NULL
///   (`lostNaN`), as does a date that is none (`unusualDate`; also counted outside of the years 0 to 9999). Less than a
///   nanosecond is rounded away (`roundedDate`), and -0 stored as 0 (`lostSign`).
/// * A **to-one** is a column that `REFERENCES "model"("id")`, `ON DELETE CASCADE`, `SET NULL` or `RESTRICT` as the
///   rule of the relationship is, checked when a transaction ends. Where its other side is a named list, the column
///   `<to-one>_position` beside it says where the row stands in that list, from 0: sort by it.
/// * A **list** is a table `<model>_<list>` with the columns `id INTEGER PRIMARY KEY`, `owner`, `target` and
///   `position`, from 0; both sides are references `ON DELETE CASCADE`, or `RESTRICT` where the list forbids that a row
///   on this side is deleted. Entries may repeat.
/// * **Indexes** are indexes, unique ones where SQLite tells apart what a store does, and there is one of each
///   reference. That deleting a row deletes what it refers to, or what is on the other side of a list, cannot be said
///   (`lostRule`).
///
/// ``SQLiteDatabaseSource`` reads the file back: dates, UUIDs and decimals as text, Bools as integers, the other sides
/// of to-ones under the members' name, in order for the first to-one of a model that any row has (`lostOrder` for
/// others that differ). It takes a model of nothing but two
/// to-ones, of which one or none has a named other side, for a list. Memory: the largest record, and SQLite's cache of
/// 8 megabytes.
public struct SQLiteExport: Sendable {
    private let pageCountMax: Int?

    /// An export in this form.
    public init() {
        self.init(pageCountMax: nil)
    }

    /// An export that finds the disk full after so many pages.
    init(pageCountMax: Int?) {
        self.pageCountMax = pageCountMax
    }

    /// Writes a state into a new file, which appears under its name only when it is complete and durable.
    ///
    /// - Parameters:
    ///   - state: what is read.
    ///   - path: where the file shall be; there must be nothing yet.
    ///   - progress: called about every thousand rows. What it throws ends the export, and there is no file then.
    /// - Returns: what was written.
    /// - Throws: ``ExportError``; what reading throws, such as `StoreError`; what `progress` throws.
    /// - Complexity: O(*n* log *n*) of rows and entries. Rows are read twice, to know what is never missing.
    public func write<State: StateReading & ~Copyable>(
        _ state: borrowing State,
        to path: String,
        progress: (ExportProgress) throws -> Void = { _ in }
    ) throws -> ExportReport {
        let file = try NewFile(path: path)
        let report: ExportReport
        do {
            let database = try SQLiteNewDatabase(
                path: file.temporaryPath,
                pageCountMax: pageCountMax
            )
            defer { database.close() }
            report = try fill(database, state, progress)
        } catch let error as SQLiteFileError {
            throw ExportError(error, writing: path)
        }
        try file.publish()
        return report
    }

    private func fill<State: StateReading & ~Copyable>(
        _ database: SQLiteNewDatabase,
        _ state: borrowing State,
        _ progress: (ExportProgress) throws -> Void
    ) throws -> ExportReport {
        let rowCount = state.counts.reduce(0) { $0 + UInt64($1.count) }
        var ledger = ExportLedger(rowCount: rowCount)
        let survey = try SQLiteExportSurvey(state) { try ledger.tell(progress) }
        let plan = SQLiteExportPlan(state.schema, survey, &ledger)
        var writer = SQLiteRowWriter(ledger)
        try database.checkingReferencesAfterwards {
            try fill(database, state, plan, &writer, progress)
        }
        try writer.ledger.tell(progress)
        return writer.ledger.report
    }

    private func fill<State: StateReading & ~Copyable>(
        _ database: SQLiteNewDatabase,
        _ state: borrowing State,
        _ plan: SQLiteExportPlan,
        _ writer: inout SQLiteRowWriter,
        _ progress: (ExportProgress) throws -> Void
    ) throws {
        try database.execute("BEGIN")
        for statement in plan.tableStatements { try database.execute(statement) }
        for table in plan.tables {
            let insertion = try database.prepare(plan.insertion(into: table))
            try state.forEachRecord(RecordQuery(model: table.model), lists: false) { record in
                try insertion.run(writer.row(of: record, table))
                try writer.ledger.addRow(progress)
                return true
            }
            writer.ledger.end(table.model)
        }
        for (index, table) in plan.tables.enumerated() {
            try addLists(of: index, table, plan, database, state) {
                try writer.ledger.tell(progress)
            }
        }
        for statement in plan.indexStatements {
            try database.execute(statement)
            try writer.ledger.tell(progress)
        }
        try database.execute("COMMIT")
        try writer.ledger.tell(progress)
    }

    /// Writes the lists of one model's rows, once all rows are there.
    private func addLists<State: StateReading & ~Copyable>(
        of index: Int,
        _ table: SQLiteExportPlan.Table,
        _ plan: SQLiteExportPlan,
        _ database: SQLiteNewDatabase,
        _ state: borrowing State,
        _ beat: () throws -> Void
    ) throws {
        let lists = try plan.lists.filter { $0.owner == index }
            .map { (list: $0, command: try database.prepare(plan.entry(of: $0))) }
        guard !lists.isEmpty else { return }
        var entryCount: UInt64 = 0
        try state.forEachRecord(RecordQuery(model: table.model)) { record in
            for (list, command) in lists {
                let targets = record.lists.first { $0.name == list.name }?.targets ?? []
                for (position, target) in targets.enumerated() {
                    var values = [SQLiteValue.text(target), .integer(Int64(position))]
                    if case .join = list.target { values.append(.text(record.id)) }
                    try command.run(values)
                    entryCount += 1
                    if entryCount % ExportLedger.rowsPerProgress == 0 { try beat() }
                }
            }
            return true
        }
    }
}
