import LegacyRecords
import SQLiteFile

/// The words of a database's ``SourceInterpretation`` (Specs/format/migration.md). They stand in logs for ever.
package enum DatabaseChoice {
    // What is chosen for.

    /// Which columns tell the rows of a table apart.
    static func key(of table: String) -> String { "key \(name(table))" }
    /// Whether a table is a list.
    static func list(_ table: String) -> String { "list \(name(table))" }
    /// How the values of the columns are stored that are a key.
    static func sorts(of table: String) -> String { "sorts \(name(table))" }
    /// How the values of a column are understood.
    static func form(of column: String, in table: String) -> String { "form \(name(table)).\(name(column))" }
    /// Where the newest changes of the database were.
    static let log = "log"

    // What is chosen.

    /// Rows are told apart by their numbers.
    package static let rowNumber = "rowid"
    /// The columns that follow are the key, in their own words.
    static let plainKey = "columns"
    /// The columns that follow are what a key is made of.
    static let madeKey = "made"
    /// The columns that follow are the owner, the member and perhaps the position of a list's entry.
    package static let list = "list"
    /// A column has dates, and what follows are those of them that are numbers.
    static let date = "date"
    static let seconds = "seconds"
    static let julianDays = "julianDays"
    static let milliseconds = "milliseconds"
    /// The newest changes were in a log beside the database.
    static let beside = "beside"
    /// A table has records.
    static let table = "table"
    /// A column leads to rows.
    static let reference = "reference"
    /// A column is what records are told by, and no attribute.
    static let identifier = "identifier"

    private static func name(_ name: String) -> String { SQLiteName.quoted(SQLiteName.folded(name)) }
}

extension RowKey {
    /// As it is written into the log.
    var choice: [String] {
        isRowNumber ? [DatabaseChoice.rowNumber] : [isMade ? DatabaseChoice.madeKey : DatabaseChoice.plainKey] + columns
    }
}

extension RowKey {
    /// How the values of its columns are stored, as it is written into the log: a word, or several with plus signs
    /// between them.
    var sortChoice: [String] {
        zip(sorts, storedSorts).map { sort, stored in
            let words = sort.map { [$0] } ?? Sort.allCases.filter(stored.contains)
            return words.map(\.rawValue).joined(separator: "+")
        }
    }
}

extension JoinTable {
    /// As it is written into the log.
    var choice: [String] {
        [DatabaseChoice.list, owner.column.name, member.column.name] + (position.map { [$0] } ?? [])
    }
}

extension ValueForm {
    /// As it is written into the log. What numbers mean in a column of dates is only chosen where there are some.
    func choice(_ found: ColumnSurvey) -> [String] {
        let hasNumbers = found.integerCount + found.realCount > 0
        return switch self {
        case .date: [DatabaseChoice.date] + (hasNumbers ? [DatabaseChoice.seconds] : [])
        case .dateText: [DatabaseChoice.date, DatabaseChoice.seconds]
        case .millisecondDate: [DatabaseChoice.date, DatabaseChoice.milliseconds]
        case .julianDay: [DatabaseChoice.date, DatabaseChoice.julianDays]
        case .plainDecimal: [ValueForm.decimal.rawValue]
        default: [rawValue]
        }
    }
}

extension SourceInterpretation {
    /// The form that the values of a column had; nil where there was no such column, or it was no attribute.
    func form(of column: String, in table: String) -> ValueForm? {
        guard let choice = self[DatabaseChoice.form(of: column, in: table)], let word = choice.first else { return nil }
        switch choice.last {
        case DatabaseChoice.julianDays: return .julianDay
        case DatabaseChoice.milliseconds: return .millisecondDate
        default: return ValueForm(rawValue: word)
        }
    }

    /// Whether a column had dates, of which none was a number.
    func hasOnlyDateTexts(_ column: String, in table: String) -> Bool {
        self[DatabaseChoice.form(of: column, in: table)] == [DatabaseChoice.date]
    }

    /// Whether a column was understood in a way that is no form of values; nil where there was no such column.
    func isSomething(_ word: String, _ column: String, in table: String) -> Bool? {
        self[DatabaseChoice.form(of: column, in: table)].map { $0 == [word] }
    }
}
