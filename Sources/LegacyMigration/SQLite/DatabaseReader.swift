import SQLiteFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a database by its plan: first the rows of each table, then the lists.
final class DatabaseReader {
    private let plan: DatabasePlan
    private let file: DatabaseFile
    private let database: SQLiteDatabase
    private let report: LibraryReport
    private var rowsDone = 0

    private static let rowsPerProgress = 16_384
    /// The hash is told as one part of two; so are the rows.
    private static let partCount: UInt64 = 2

    init(
        _ plan: DatabasePlan,
        _ file: DatabaseFile,
        consume: @escaping (LegacyEvent) throws -> Void
    ) throws {
        self.plan = plan
        self.file = file
        database = try SQLiteDatabase(file.copy)
        report = LibraryReport(consume)
    }

    func read() throws -> LegacyReading {
        for warning in plan.warnings { try report.warn(warning.kind) { warning.message } }
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
        let half = file.byteCount / Self.partCount
        try showProgress(half + UInt64(Double(half) * share))
    }

    // MARK: Records

    private func read(_ table: DatabasePlan.Table) throws {
        var columns = table.fields.map(\.column)
        let keyPlaces = table.key.columns.map { column in
            if let place = columns.firstIndex(of: column) { return place }
            columns.append(column)
            return columns.count - 1
        }
        let rows = try database.prepare(Self.query(table, columns))
        let lookups = try table.fields.map { field -> TargetLookup? in
            guard case .reference(let target) = field.content else { return nil }
            return try TargetLookup(target, in: database)
        }
        while try rows.step() {
            let key = table.key.key(keyPlaces.map(rows.value))
            if key.isMade {
                try report.warn(.missingKey) {
                    "A row of \(table.name) has no usable key; it was given \(key.text), made from it."
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
                LegacyRecord(className: table.model, key: key.text, fields: fields, times: times)
            )
            try advance()
        }
    }

    /// The columns of a table, and then the times of its rows where there are some.
    private static func query(_ table: DatabasePlan.Table, _ columns: [String]) -> String {
        var wanted = columns.map(SQLiteName.quoted)
        var origin = SQLiteName.quoted(table.name)
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
        case .value(.externalData):
            return try external(value, field, row())
        case .value(let form):
            if case .invalidText = value {
                try report.warn(.invalidText) {
                    "\(field.column) of \(row()) is no UTF-8; what is wrong in it was replaced."
                }
            }
            if let legacy = form.value(value) { return legacy }
            try report.warn(.unexpectedType) {
                "\(field.column) of \(row()) is of another type than the rest; it was left out."
            }
            return nil
        }
    }

    // MARK: Values in files of their own

    private func external(
        _ value: SQLiteValue,
        _ field: DatabasePlan.Field,
        _ row: @autoclosure () -> String
    ) throws -> LegacyValue? {
        guard case .blob(let bytes) = value else { return nil }
        guard let name = ExternalData.fileName(bytes) else { return .data(Data(bytes.dropFirst())) }
        if let directory = plan.externalDirectory,
            let content = try content(of: "\(directory)/\(name)")
        {
            return .data(content)
        }
        try report.warn(.missingExternalData) {
            "\(field.column) of \(row()) is kept in the file \(name), which cannot be read beside the database; "
                + "it was left out."
        }
        return nil
    }

    private func content(of path: String) throws -> Data? {
        guard let file = try? ExportFile(path: path),
            file.stamp.byteCount <= UInt64(SQLiteDatabase.valueByteCountMax)
        else { return nil }
        var content = Data()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe piece.deallocate() }
        while UInt64(content.count) < file.stamp.byteCount {
            let count = try unsafe file.read(into: piece)
            guard count > 0 else { break }
            unsafe content.append(contentsOf: piece[..<count])
        }
        return content
    }

    // MARK: Lists

    /// The entries of one owner stand together. Owners whose keys differ in the case of a UUID alone may be one.
    private func read(_ list: DatabasePlan.List) throws {
        let owner = SQLiteName.quoted(list.ownerColumn)
        let folded =
            "CASE WHEN length(\(owner)) = 36 THEN lower(\(owner)) ELSE \(owner) END COLLATE BINARY"
        let rows = try database.prepare(
            "SELECT \(owner), \(SQLiteName.quoted(list.memberColumn)), \(folded) "
                + "FROM \(SQLiteName.quoted(list.table)) "
                + "ORDER BY \((["3"] + list.order).joined(separator: ", "))"
        )
        let owners = try TargetLookup(list.owner, in: database)
        let members = try TargetLookup(list.member, in: database)
        var current: SQLiteValue?
        var lists = ListsInProgress()
        while try rows.step() {
            let group = rows.value(at: 2)
            if current != group {
                try emit(&lists, list)
                current = group
            }
            try advance()
            let values = (rows.value(at: 0), rows.value(at: 1))
            if values.0 == .null || values.1 == .null {
                try report.warn(.malformedEntry) {
                    "A row of \(list.table) names only one side; it was left out."
                }
                continue
            }
            guard let key = try owners.key(for: values.0),
                let member = try members.key(for: values.1)
            else {
                try report.warn(.danglingReference) {
                    "A row of \(list.table) names a row that does not exist "
                        + "(\(ValueForm.text(values.0)), \(ValueForm.text(values.1))); it was left out."
                }
                continue
            }
            lists.append(member, to: key)
        }
        try emit(&lists, list)
    }

    private func emit(_ lists: inout ListsInProgress, _ list: DatabasePlan.List) throws {
        for (key, members) in lists.entries {
            let list = LegacyList(
                className: list.model,
                key: key,
                name: list.name,
                members: members
            )
            try report.consume(.list(list))
        }
        lists = ListsInProgress()
    }

    /// The lists of the owners in hand: one as a rule.
    private struct ListsInProgress {
        private(set) var entries: [(key: String, members: LegacyReferences)] = []
        /// By bytes: two texts of the same characters may be two keys.
        private var places: [[UInt8]: Int] = [:]

        mutating func append(_ member: String, to owner: String) {
            let bytes = Array(owner.utf8)
            if let place = places[bytes] {
                entries[place].members.append(RecordKey(member))
            } else {
                places[bytes] = entries.count
                entries.append((owner, LegacyReferences([member])))
            }
        }
    }
}
