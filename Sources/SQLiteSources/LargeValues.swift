import LegacyRecords
import Reprise
import SQLiteFile

/// The values of a table that are too large to be read or to be stored, and those of rows that together are.
struct LargeValues: Sendable, Equatable {
    /// How many rows are looked for: each costs a walk through the table, and has to be named when it is read.
    private static let rowCountMax = 500
    /// What SQLite keeps beside the values of a row to sort it has room in that, and what a store keeps beside them.
    private static let marginByteCount = 64 << 10
    /// The most bytes of the values that a store is given of one row.
    static let storedByteCountMax = Reprise.rowByteCountMax - marginByteCount
    /// What is said of that.
    static let storedMiBMax = (Reprise.rowByteCountMax + marginByteCount) >> 20
    /// The most bytes of a text or a blob that names a row.
    private static let keyByteCountMax = 200

    /// A row, and the columns of it that are left out.
    struct Row: Sendable, Equatable {
        /// An expression of SQL that is true for this row of the table alone.
        let condition: String
        /// What the row is called in a warning.
        let name: String
        let columns: [String]
    }

    private(set) var rows: [Row] = []
    /// The most bytes of the values that are read of one row: what a store can hold, and no more than half of what
    /// SQLite can sort, because that has texts in it as the database stores them, with up to twice as many bytes.
    let rowByteCountMax: Int

    init(in database: SQLiteDatabase) {
        rowByteCountMax = min(
            database.valueByteCountMax / 2 - Self.marginByteCount,
            Self.storedByteCountMax
        )
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The most bytes of the texts of one row that surely fit, whatever is no UTF-8 in them: three bytes stand for one
    /// that is replaced.
    var repairableByteCountMax: Int { rowByteCountMax / 3 }

    /// What is selected of a column, so that what is too large is nil.
    func expression(for column: String) -> String {
        let name = SQLiteName.quoted(column)
        let conditions = rows.filter { row in
            row.columns.contains { SQLiteName.areSame($0, column) }
        }.map { "(\($0.condition))" }
        if conditions.isEmpty { return name }
        return "CASE WHEN \(conditions.joined(separator: " OR ")) THEN NULL ELSE \(name) END"
    }

    /// A sentence for each value that is left out.
    func warnings(of table: String) -> [LegacyWarning] {
        rows.flatMap { row in
            row.columns.map { column in
                LegacyWarning(
                    kind: .oversizedValue,
                    message: "\(table).\(column) of the row with \(row.name) was left out: with it the row has more "
                        + "than the \(Self.storedMiBMax) MiB that one of a store can have."
                )
            }
        }
    }

    // MARK: Finding them

    /// The places of the values that have to be left out so that the rest of a row is not too large, the largest first.
    func places(tooLargeIn byteCounts: [Int]) -> [Int] {
        var sum = byteCounts.reduce(0, +)
        var places: [Int] = []
        for (place, byteCount) in byteCounts.enumerated().sorted(by: { $0.element > $1.element }) {
            if sum <= rowByteCountMax { break }
            sum -= byteCount
            places.append(place)
        }
        return places
    }

    /// Notes what is left out of a row.
    ///
    /// - Parameters:
    ///   - columns: what is left out.
    ///   - place: how many rows are stored before it.
    /// - Throws: ``SQLiteFileError`` with the code `limitExceeded` where it cannot be told from the others, or there
    ///   are too many.
    /// - Complexity: O(place).
    mutating func append(
        _ columns: [String],
        ofRowAt place: Int,
        _ table: SQLiteTable,
        in database: SQLiteDatabase
    ) throws(SQLiteFileError) {
        let keys = table.rowidName.map { [$0] } ?? table.primaryKey.map(\.name)
        let wanted = keys.map(SQLiteName.quoted).joined(separator: ", ")
        guard rows.count < Self.rowCountMax, !keys.isEmpty else {
            throw .tooManyLargeValues(in: table.name)
        }
        let found = try database.prepare(
            "SELECT \(wanted) FROM \(SQLiteName.quoted(table.name)) NOT INDEXED LIMIT 1 OFFSET \(place)"
        )
        guard try found.step() else { throw .tooManyLargeValues(in: table.name) }
        var conditions: [String] = []
        var names: [String] = []
        for (place, key) in keys.enumerated() {
            guard found.byteCount(at: place) <= Self.keyByteCountMax,
                let literal = Self.literal(found.value(at: place))
            else { throw .tooManyLargeValues(in: table.name) }
            conditions.append("\(SQLiteName.quoted(key)) = \(literal)")
            names.append("\(key) \(LibraryReport.quoted(ValueForm.text(found.value(at: place))))")
        }
        rows.append(
            Row(
                condition: conditions.joined(separator: " AND "),
                name: names.joined(separator: ", "),
                columns: columns
            )
        )
    }

    /// A value as it is written in SQL; nil where that is not exact.
    private static func literal(_ value: SQLiteValue) -> String? {
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text) where !text.unicodeScalars.contains("\0"):
            "'" + String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == "'" ? [$0, $0] : [$0] })) + "'"
        case .blob(let bytes): "x'" + Hexadecimal.lowercase(bytes) + "'"
        case .null, .real, .text, .invalidText: nil
        }
    }
}
