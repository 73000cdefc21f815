import LegacyRecords
import Reprise
import SQLiteFile

/// Reads a database by its plan: first the rows of each table, then the lists.
final class DatabaseReader {
    private let plan: DatabasePlan
    private let file: DatabaseFile
    private let database: SQLiteDatabase
    private let report: LibraryReport
    private let files: ExternalFiles
    private var rowsDone = 0

    private static let rowsPerProgress = 16_384
    /// The hash is told as one part of so many, for that is how long it takes beside rows that are written somewhere.
    private static let partCount: UInt64 = 16

    init(
        _ plan: DatabasePlan,
        _ file: DatabaseFile,
        _ database: SQLiteDatabase,
        consume: @escaping (LegacyEvent) throws -> Void
    ) {
        self.plan = plan
        self.file = file
        self.database = database
        report = LibraryReport(consume)
        files = ExternalFiles(directory: plan.externalDirectory)
    }

    func read() throws -> LegacyReading {
        if plan.needsExternalFiles { try files.checkDirectory() }
        for warning in plan.warnings { try report.warn(warning) }
        let hash = try file.contentHash { step in
            try showProgress(step.bytesRead / Self.partCount)
        }
        for table in plan.tables { try read(table) }
        for list in plan.lists { try read(list) }
        try showProgress(file.byteCount)
        var reading = report.reading
        reading.byteCount = file.byteCount
        reading.contentHash = hash
        return reading
    }

    private func showProgress(_ bytes: UInt64) throws {
        try report.consume(.progress(LegacyProgress(bytesRead: bytes, byteCount: file.byteCount)))
    }

    private func advance() throws {
        rowsDone += 1
        guard rowsDone % Self.rowsPerProgress == 0 else { return }
        let share = min(1, Double(rowsDone) / Double(max(1, plan.rowCount)))
        let hashed = file.byteCount / Self.partCount
        try showProgress(hashed + UInt64(Double(file.byteCount - hashed) * share))
    }

    // MARK: Records

    private func read(_ table: DatabasePlan.Table) throws {
        var columns = table.fields.map(\.column)
        let keyPlaces = table.key.readColumns.map { column in
            if let place = columns.firstIndex(where: { SQLiteName.areSame($0, column) }) {
                return place
            }
            columns.append(column)
            return columns.count - 1
        }
        let rows = try database.prepare(Self.query(table, columns))
        let lookups = try table.fields.map { field -> TargetLookup? in
            guard case .reference(let target) = field.content else { return nil }
            return try TargetLookup(target, in: database)
        }
        let keys = try RowKeyMaker(table.key, in: database)
        while try rows.step() {
            let key = try keys.key(keyPlaces.map(rows.value))
            if let reason = key.reason { try warn(reason, key.text, table) }
            if let column = table.keptIdentifier {
                let value = rows.value(at: keyPlaces[0])
                if value != .null, !value.isSaid(by: key.text) {
                    try report.warn(.unexpectedType) {
                        "\(column) of \(table.name) \(key.text) is \(LibraryReport.quoted(ValueForm.text(value))), "
                            + "which its identifier does not say as it is, and nothing else does now."
                    }
                }
            }
            var fields: [LegacyField] = []
            for (place, field) in table.fields.enumerated() {
                let value = rows.value(at: place)
                if value == .null { continue }
                if let value = try legacy(value, field, lookups[place], "\(table.name) \(key.text)")
                {
                    fields.append(LegacyField(field.name, value))
                }
            }
            let times =
                table.times == nil
                ? nil
                : LegacyTimes(
                    created: rows.value(at: columns.count),
                    changed: rows.value(at: columns.count + 1)
                )
            try report.emit(
                LegacyRecord(
                    className: table.model,
                    key: key.text,
                    fields: fields,
                    times: times
                )
            )
            try advance()
        }
    }

    /// Says what else than the values of its key names a row.
    private func warn(_ reason: RowKeyMaker.Reason, _ key: String, _ table: DatabasePlan.Table) throws {
        try report.warn(.missingKey) {
            switch reason {
            case .missingValue:
                "A row of \(table.name) lacks a value in its key; it was given \(key), made from what is there"
                    + (table.key.rowid == nil ? "." : " and its rowid, which VACUUM may change.")
            case .sharedText:
                "A row of \(table.name) has a key that says the same as another row's of another type; it was given "
                    + "\(key), made from it."
            }
        }
    }

    /// The columns of a table, and then the times of its rows where there are some. No index is used: that of a table
    /// which could not be examined may lack rows, and nobody would miss them.
    private static func query(_ table: DatabasePlan.Table, _ columns: [String]) -> String {
        var wanted = columns.map(table.largeValues.expression)
        var origin = SQLiteName.quoted(table.name) + " NOT INDEXED"
        if let times = table.times {
            wanted += [CoreDataHistory.createdColumn, CoreDataHistory.changedColumn]
            origin += " LEFT JOIN (\(times)) ON \(CoreDataHistory.rowColumn) = \"Z_PK\""
        }
        return "SELECT \(wanted.joined(separator: ", ")) FROM \(origin) "
            + "ORDER BY \(table.order.joined(separator: ", "))"
    }

    private func legacy(
        _ value: SQLiteValue,
        _ field: DatabasePlan.Field,
        _ lookup: TargetLookup?,
        _ row: @autoclosure () -> String
    ) throws -> LegacyValue? {
        switch field.content {
        case .reference:
            if let key = try lookup?.key(for: value) { return .reference(key) }
            try report.warn(.danglingReference) {
                "\(field.column) of \(row()) leads to no row (\(LibraryReport.quoted(ValueForm.text(value)))); "
                    + "it was left out."
            }
            return nil
        case .entity(let names):
            if case .integer(let number) = value, let name = names[number] { return .string(name) }
            return .string(ValueForm.text(value))
        case .value(let form) where field.isDeclared && !form.holds(value):
            try report.warn(.unexpectedType) {
                "\(field.column) of \(row()) is no \(form.type), as its column is understood "
                    + "(\(LibraryReport.quoted(ValueForm.text(value)))); it was left out."
            }
            return nil
        case .value(let form) where form.mayBeExternal:
            if let data = try files.data(value, form, "\(field.column) of \(row())", report) {
                return .data(data)
            }
            return nil
        case .value(let form):
            if case .invalidText = value {
                try report.warn(.invalidText) {
                    "\(field.column) of \(row()) is no UTF-8; what is wrong in it was replaced."
                }
            }
            let told = form.told(value)
            if told.isRounded {
                try report.warn(.roundedDate) {
                    "\(field.column) of \(row()) was rounded; a Date does not hold so many digits."
                }
            }
            if let legacy = told.value { return legacy }
            try report.warn(.unexpectedType) {
                "\(field.column) of \(row()) is of another type than the rest; it was left out."
            }
            return nil
        }
    }

    // MARK: Lists

    /// The entries of one owner stand together: rows are sorted by what they find in the owner's table, since several
    /// values may find the same row.
    private func read(_ list: DatabasePlan.List) throws {
        let owner = "j.\(SQLiteName.quoted(list.ownerColumn))"
        let rows = try database.prepare(
            "SELECT \(TargetLookup.foundValue(of: list.owner, for: owner)), \(owner), "
                + "j.\(SQLiteName.quoted(list.memberColumn)) FROM \(SQLiteName.quoted(list.table)) AS j NOT INDEXED "
                + "ORDER BY \((["1"] + list.order).joined(separator: ", "))"
        )
        let owners = try TargetLookup(list.owner, in: database)
        let members = try TargetLookup(list.member, in: database)
        var current: (found: SQLiteValue, key: String, members: LegacyReferences)?
        while try rows.step() {
            try advance()
            let (found, owner, member) = (rows.value(at: 0), rows.value(at: 1), rows.value(at: 2))
            if owner == .null || member == .null {
                try report.warn(.malformedEntry) {
                    "A row of \(list.table) names only one side; it was left out."
                }
                continue
            }
            guard found != .null, let memberKey = try members.key(for: member) else {
                try report.warn(.danglingReference) {
                    "A row of \(list.table) names a row that does not exist "
                        + "(\(ValueForm.text(owner)), \(ValueForm.text(member))); it was left out."
                }
                continue
            }
            if let last = current, !last.found.isIdentical(to: found) {
                try emit(list, last.key, last.members)
                current = nil
            }
            if current == nil, let key = try owners.key(for: found) {
                current = (found, key, LegacyReferences())
            }
            try current?.members.append(RecordKey(memberKey))
        }
        if let current { try emit(list, current.key, current.members) }
    }

    private func emit(_ list: DatabasePlan.List, _ key: String, _ members: LegacyReferences) throws
    {
        try report.consume(
            .list(LegacyList(className: list.model, key: key, name: list.name, members: members))
        )
    }
}

extension SQLiteValue {
    /// Whether a key says the same: a text or a whole number as it is.
    fileprivate func isSaid(by key: String) -> Bool {
        switch self {
        case .text(let text): text.utf8.elementsEqual(key.utf8)
        case .integer(let number): String(number) == key
        case .null, .real, .blob, .invalidText: false
        }
    }
}
