import ExportFormats
import LegacyRecords
import SQLiteFile

/// How the key of a record is made of a row: of what is in it alone, so that a row keeps its key whatever other rows
/// hold.
///
/// A whole number is told in decimal, be it stored as an integer or not, text as it is, sixteen bytes as the text of a
/// UUID in lower case, other bytes in hexadecimal. Anything else, and several columns, are told by a key made from all
/// of it.
struct RowKey: Sendable, Equatable {
    /// The table, which is part of a key that is made.
    let table: String
    /// The columns, or the name of the rowid.
    let columns: [String]
    /// Whether rows are told by their rowids, which are nobody's: `VACUUM` gives them others.
    var isRowNumber = false
    /// The rowid's name where a column may be NULL, which tells nothing apart.
    var rowid: String?
    /// Whether all keys are made.
    var isMade = false
    /// Whether values are stored in several ways, so that two of them may have the same text.
    var isMixed = false
    /// How the values of each column are stored, all of them, or were in an earlier export; a column of several ways
    /// has none.
    var sorts: [Sort?] = []
    /// In which ways the values of each column are stored.
    var storedSorts: [Set<Sort>] = []
    /// Whether a column's values are stored in another way now.
    var isStoredOtherwise = false

    /// A way of storing values. The words stand in logs (``DatabaseChoice``).
    enum Sort: String, Sendable, CaseIterable {
        case integer = "integer"
        case real = "real"
        case text = "text"
        case blob = "blob"
    }

    /// What has to be read of a row.
    var readColumns: [String] { columns + (rowid.map { [$0] } ?? []) }

    /// A value as it was stored when its row got its key, where it says the same in another way now. Numbers need not
    /// be turned into each other: a whole one is the same key either way.
    func value(_ value: SQLiteValue, ofColumnAt place: Int) -> SQLiteValue {
        guard place < sorts.count, let sort = sorts[place] else { return value }
        switch (sort, value) {
        case (.integer, .text(let text)):
            return CanonicalText.integer(text).map(SQLiteValue.integer) ?? value
        case (.real, .text(let text)): return CanonicalText.double(text).map(SQLiteValue.real) ?? value
        case (.text, .integer(let number)): return .text(String(number))
        case (.text, .real(let number)): return .text(Self.whole(number).map { String($0) } ?? "\(number)")
        default: return value
        }
    }

    /// A number that SQLite holds for the same as an integer; nil for others.
    private static func whole(_ number: Double) -> Int64? { Int64(exactly: number) }

    /// The text of a value; nil where it is not usable as a key.
    static func plainText(_ value: SQLiteValue) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .real(let number): whole(number).map { String($0) }
        case .text(let text): KeyRegistry.isUsable(text) ? text : nil
        case .blob(let bytes) where bytes.count == 16: uuid(bytes)
        case .blob(let bytes) where (1...100).contains(bytes.count): Hexadecimal.lowercase(bytes)
        default: nil
        }
    }

    /// A key made from all that was read; what is not there has no part in it.
    func madeText(_ values: [SQLiteValue]) -> String {
        var parts = values.prefix(columns.count).map { value -> String? in
            switch value {
            case .null: nil
            case .integer(let number): "i\(number)"
            case .real(let number): Self.whole(number).map { "i\($0)" } ?? "r\(number)"
            case .text(let text): "t" + text
            case .invalidText(let bytes): "x" + Hexadecimal.lowercase(bytes)
            case .blob(let bytes): "b" + Hexadecimal.lowercase(bytes)
            }
        }
        if parts.contains(nil), values.count > columns.count,
            case .integer(let number) = values[columns.count]
        {
            parts.append("n\(number)")
        }
        return ContentKey(["reprise row", table] + parts).text
    }

    /// The text of a UUID in lower case.
    static func uuid(_ bytes: [UInt8]) -> String {
        let digits = Array(Hexadecimal.lowercase(bytes).utf8)
        var text: [UInt8] = []
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension RowKey {
    /// Whether the same values may make other keys, because they are stored in other ways than before.
    ///
    /// - Parameters:
    ///   - before: in which ways the values of a column were stored in an earlier export, or are still taken to be.
    ///   - now: in which ways they are stored.
    func mayChange(_ before: Set<Sort>, _ now: Set<Sort>) -> Bool {
        if before.isEmpty || now.isEmpty { return false }
        if before.contains(.blob) != now.contains(.blob) { return true }
        // A 7 may have been 7 or 7.0.
        if before.contains(.text), !before.contains(.real), now.contains(.real) { return true }
        let (kindsBefore, kindsNow) = (Self.kinds(before), Self.kinds(now))
        // What all values are now is taken for what all of them were (``value(_:ofColumnAt:)``).
        if kindsBefore.count == 1, kindsNow.count == 1 { return false }
        if isMade { return kindsBefore != kindsNow }
        // Fractions have keys that are made; texts of them, and whatever is whole, have not.
        return before.contains(.real) && !now.contains(.real) && now.contains(.text)
    }

    /// Numbers are of one kind.
    private static func kinds(_ sorts: Set<Sort>) -> Set<Sort> {
        sorts.contains(.real) ? sorts.subtracting([.real]).union([.integer]) : sorts
    }

    /// The columns that tell rows apart, or the rowid where there are none; nil where there is none of that name
    /// either.
    ///
    /// - Parameter earlier: how an earlier export told them apart (``RowKey/choice``), which goes on where it can.
    init?(
        of table: SQLiteTable,
        _ survey: TableSurvey,
        in database: SQLiteDatabase,
        _ examination: SQLiteExamination,
        asIn earlier: [String]? = nil,
        sorts earlierSorts: [String]? = nil
    ) throws {
        let kept = try table.keyColumns(asIn: earlier, in: database, without: survey.largeValues)
        let columns = try kept ?? table.keyColumns(in: database, without: survey.largeValues)
        guard let column = columns.first else {
            guard let rowid = table.rowidName else { return nil }
            self.init(table: table.name, columns: [rowid], isRowNumber: true)
            return
        }
        self.init(table: table.name, columns: columns)
        if columns.contains(where: { survey[$0].nullCount > 0 }) { rowid = table.rowidName }
        let found = survey[column]
        isMixed =
            columns.count == 1
            && [found.integerCount + found.realCount, found.textCount, found.blobCount].count { $0 > 0 } > 1
        // Without an index equal texts cannot be looked for.
        isMade = try columns.count > 1 || (isMixed && !table.isKey(column, in: database, examination))
        if kept != nil, earlier?.first == DatabaseChoice.madeKey { isMade = true }
        let before = kept == nil ? [] : earlierSorts ?? []
        sorts = columns.enumerated().map { place, column in
            let now = survey[column].sort
            // Values of several sorts may say the same, and are told apart.
            guard let now, place < before.count, let then = Sort(rawValue: before[place]) else { return now }
            // Bytes say nothing that numbers and texts say: what was said of these is over.
            return now == .blob || then == .blob ? now : then
        }
        storedSorts = columns.map { survey[$0].sorts }
        isStoredOtherwise = zip(columns, sorts).contains { $1 != survey[$0].sort }
    }
}

extension SQLiteTable {
    /// The columns that tell rows apart and stay with them: those of the primary key; without one those of a unique
    /// index of all rows, over columns that are declared not to be NULL and do not say where something stands. Of
    /// several such indexes that with the fewest columns counts, then the one whose columns come first in the table,
    /// whatever the indexes are called and in whatever order they were made. Empty where there is none.
    ///
    /// - Parameter largeValues: what cannot be read of the rows.
    /// - Complexity: O(*n* log *n*) of the rows where such an index counts.
    func keyColumns(
        in database: SQLiteDatabase,
        without largeValues: LargeValues
    ) throws -> [String] {
        let readable = readableColumns
        let key = readable.filter { $0.primaryKeyPlace > 0 }
        guard key.isEmpty else {
            return key.sorted { $0.primaryKeyPlace < $1.primaryKeyPlace }.map(\.name)
        }
        let required = Dictionary(
            readable.enumerated().filter(\.element.isNotNull)
                .map { (SQLiteName.bytes($0.element.name), $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        var candidates: [[Int]] = []
        for index in indexes where index.isUnique && !index.isPartial && !index.needsApp {
            let places = index.columns.map { $0.flatMap { required[SQLiteName.bytes($0)] } }
            // Where something stands changes, and would make it another row.
            let hasPosition = places.contains { $0.map { RowOrder.position(readable[$0]) != nil } ?? false }
            if places.contains(nil) || hasPosition { continue }
            candidates.append(Set(places.compactMap(\.self)).sorted())
        }
        candidates.sort { first, second in
            first.count == second.count
                ? first.lexicographicallyPrecedes(second) : first.count < second.count
        }
        for places in candidates {
            let names = places.map { readable[$0].name }
            // An index that breaks its own rule would give several rows one key.
            if try !areRepeated(names.map(largeValues.expression), in: database) { return names }
        }
        return []
    }

    /// The columns that told rows apart in an earlier export, empty for the rowid; nil where they do no more.
    fileprivate func keyColumns(
        asIn earlier: [String]?,
        in database: SQLiteDatabase,
        without largeValues: LargeValues
    ) throws -> [String]? {
        guard let earlier else { return nil }
        if earlier == [DatabaseChoice.rowNumber] { return rowidName == nil ? nil : [] }
        let readable = readableColumns
        let columns = earlier.dropFirst().compactMap { name in
            readable.first { SQLiteName.areSame($0.name, name) }?.name
        }
        guard !columns.isEmpty, columns.count == earlier.count - 1 else { return nil }
        let isPrimary = primaryKey.map(\.name) == columns
        if try !isPrimary && areRepeated(columns.map(largeValues.expression), in: database) { return nil }
        return columns
    }

    /// Whether two rows have the same values, byte for byte, none of which is NULL.
    private func areRepeated(_ expressions: [String], in database: SQLiteDatabase) throws -> Bool {
        let isThere = expressions.map { "\($0) IS NOT NULL" }
        let parts = expressions.map { "\($0) COLLATE BINARY" }
        let rows = try database.prepare(
            "SELECT 1 FROM \(SQLiteName.quoted(name)) NOT INDEXED "
                + "WHERE \(isThere.joined(separator: " AND ")) "
                + "GROUP BY \(parts.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
        )
        return try rows.step()
    }
}

/// Makes the keys of a table's rows.
final class RowKeyMaker {
    private let key: RowKey
    /// Whether there is a row with a number, and with a text. Only asked where values are stored in several ways.
    private let numbers: SQLiteStatement?
    private let texts: SQLiteStatement?

    init(_ key: RowKey, in database: SQLiteDatabase) throws {
        self.key = key
        guard key.isMixed, !key.isMade, let column = key.columns.first else {
            (numbers, texts) = (nil, nil)
            return
        }
        let name = SQLiteName.quoted(column)
        func statement(_ types: String) throws -> SQLiteStatement {
            try database.prepare(
                "SELECT 1 FROM \(SQLiteName.quoted(key.table)) "
                    + "WHERE \(name) = ?1 AND typeof(\(name)) IN (\(types))"
            )
        }
        (numbers, texts) = (try statement("'integer', 'real'"), try statement("'text'"))
    }

    /// Why something else than the values of a row's key has a part in what it is called.
    enum Reason {
        /// One of them is missing: the row's number stands in, where there is a name for it.
        case missingValue
        /// Another row's key, of another type, has the same text.
        case sharedText
    }

    /// The key of a row.
    struct Key {
        let text: String
        /// Why it does not follow from the values of the row's own key alone; nil where it does.
        var reason: Reason?
    }

    /// The key of a row with these values in the columns that are read for it.
    func key(_ stored: [SQLiteValue]) throws -> Key {
        let values =
            key.isStoredOtherwise
            ? stored.enumerated().map { key.value($0.element, ofColumnAt: $0.offset) } : stored
        if !key.isMade, let value = values.first, let text = RowKey.plainText(value) {
            guard try isTaken(text, by: value) else { return Key(text: text) }
            return Key(text: key.madeText(values), reason: .sharedText)
        }
        let own = values.prefix(key.columns.count)
        // The row's number stands in for what is missing.
        if own.contains(.null) { return Key(text: key.madeText(values), reason: .missingValue) }
        return Key(text: key.madeText(values))
    }

    /// Whether the text of a value is that of another row too: a number comes before a text, and both before bytes.
    private func isTaken(_ text: String, by value: SQLiteValue) throws -> Bool {
        guard let numbers, let texts else { return false }
        switch value {
        case .text, .blob: break
        default: return false
        }
        if let number = Int64(text), String(number) == text,
            try isThere(.integer(number), numbers)
        {
            return true
        }
        guard case .blob = value else { return false }
        return try isThere(.text(text), texts)
    }

    private func isThere(_ value: SQLiteValue, _ statement: SQLiteStatement) throws -> Bool {
        try statement.bind(value, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }
}
