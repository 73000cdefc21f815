import SQLiteFile

/// What is decided on by what happens to be in a database, and goes on as in an earlier export.
extension SQLitePlanner {
    /// Notes how a table was understood.
    mutating func noteChoices(_ place: Int) {
        let table = sources[place].table.name
        let join = joins.first { $0.place == place }
        if sources[place].survey.rowCount > 0 {
            interpretation[DatabaseChoice.key(of: table)] = sources[place].key.choice
        }
        interpretation[DatabaseChoice.list(table)] = join?.choice ?? [DatabaseChoice.table]
    }

    /// How the values of a column are understood, and whether one that does not fit is left out.
    mutating func form(of column: SQLiteColumn, _ source: Source) -> (form: ValueForm, leavesOut: Bool) {
        let found = source.survey[column.name]
        let form: ValueForm
        let fits: Bool
        var leavesOut = false
        if let kept = earlier.form(of: column.name, in: source.table.name) {
            (form, fits, leavesOut) = ValueForm.form(kept: kept, found)
        } else {
            (form, fits) = ValueForm.form(wanted: DeclaredType.form(of: column, found), found)
        }
        let place = "\(source.table.name).\(column.name)"
        if !fits {
            let type = column.declaredType.isEmpty ? "(none)" : column.declaredType
            warn(LegacyWarning(misfitsOf: place, " " + type, found, form))
        }
        if let warning = LegacyWarning(guessedDatesOf: place, found, form) { warn(warning) }
        return (form, leavesOut)
    }

    /// Whether a foreign key was no relationship in an earlier export, and so is none now.
    mutating func isPlainValue(_ column: String, of table: SQLiteTable) -> Bool {
        guard earlier.isSomething(DatabaseChoice.reference, column, in: table.name) == false else { return false }
        warn(
            .plainForeignKey,
            "\(table.name).\(column) was a plain value in an earlier export, and stayed one though it refers to rows "
                + "now."
        )
        return true
    }

    /// Says that rows are told apart otherwise than before.
    mutating func noteChangedKey(from earlier: [String], to key: RowKey) {
        guard !earlier.elementsEqual(key.choice, by: { SQLiteName.areSame($0, $1) }) else { return }
        func words(_ choice: [String]) -> String {
            choice == [DatabaseChoice.rowNumber] ? "their numbers" : choice.dropFirst().joined(separator: ", ")
        }
        warn(
            .changedKey,
            "The rows of \(key.table) were told apart by \(words(earlier)) and are by \(words(key.choice)) now; "
                + "those that are called otherwise by that are new ones, and the old ones are missing."
        )
    }
}
