import LegacyRecords
import Reprise
import SQLiteFile

/// What is decided on by what happens to be in a database, and goes on as in an earlier export.
extension SQLitePlanner {
    /// Notes how a table was understood.
    mutating func noteChoices(_ place: Int) {
        let table = sources[place].table.name
        let join = joins.first { $0.place == place }
        let subject = DatabaseChoice.list(table)
        // What could not be followed this time may be there again the next time.
        let wasList = earlier[subject]?.first == DatabaseChoice.list ? earlier[subject] : nil
        if let choice = join?.choice ?? wasList { interpretation[subject] = choice }
        guard sources[place].survey.rowCount > 0 else { return }
        interpretation[DatabaseChoice.key(of: table)] = sources[place].key.choice
        interpretation[DatabaseChoice.sorts(of: table)] = sources[place].key.sortChoice
        if interpretation[subject] == nil { interpretation[subject] = [DatabaseChoice.table] }
    }

    /// How the values of a column are understood, and whether one that does not fit is left out.
    mutating func form(of column: SQLiteColumn, _ source: Source) -> (form: ValueForm, leavesOut: Bool) {
        let found = source.survey[column.name]
        let form: ValueForm
        let fits: Bool
        var leavesOut = false
        var isWidened = false
        if let kept = keptForm(of: column, source) {
            (form, fits, leavesOut) = ValueForm.form(kept: kept, found, widens: earlier.mayWiden)
            isWidened = form != kept
        } else {
            (form, fits) = ValueForm.form(wanted: wantedForm(of: column, source), found)
        }
        let place = "\(source.table.name).\(column.name)"
        if !fits, !isWidened {
            let type = column.declaredType.isEmpty ? "(none)" : column.declaredType
            warn(LegacyWarning(misfitsOf: place, " " + type, found, form))
        }
        let declared = DeclaredType.form(column.declaredType)
        if let warning = LegacyWarning(guessOf: place, found, form, declared) { warn(warning) }
        return (form, leavesOut)
    }

    private func wantedForm(of column: SQLiteColumn, _ source: Source) -> ValueForm? {
        let isKey = source.key.columns.contains { SQLiteName.areSame($0, column.name) }
        return DeclaredType.form(of: column, source.survey[column.name], isKey: isKey)
    }

    /// The form that the values of a column had in an earlier export; of dates that were all texts the numbers among
    /// them are decided on now. Numbers that were seconds and could all be days now are neither.
    private func keptForm(of column: SQLiteColumn, _ source: Source) -> ValueForm? {
        guard let kept = earlier.form(of: column.name, in: source.table.name) else { return nil }
        let found = source.survey[column.name]
        if earlier.hasOnlyDateTexts(column.name, in: source.table.name) {
            return wantedForm(of: column, source).flatMap { $0.type == .date ? $0 : nil } ?? .date
        }
        let couldBeDays = found.hasFraction && found.numbers.map { DateNumbers.areDates($0, .julianDay) } ?? false
        if kept == .date, couldBeDays { return .dateText }
        // Texts of a column that is declared otherwise now may be no numbers.
        let isDeclared = DeclaredType.form(column.declaredType) == .decimal
        return kept == .decimal && !isDeclared && found.textCount > 0 ? .plainDecimal : kept
    }

    /// Whether a foreign key was no relationship in an earlier export, and so is none now.
    mutating func isPlainValue(_ column: String, of table: SQLiteTable) -> Bool {
        guard earlier.isSomething(DatabaseChoice.reference, column, in: table.name) == false else { return false }
        // Of a list that could not be followed once, they were values then.
        let list = earlier[DatabaseChoice.list(table.name)] ?? []
        let sides = list.first == DatabaseChoice.list ? list[1...].prefix(2) : []
        if sides.contains(where: { SQLiteName.areSame($0, column) }) { return false }
        warn(
            .plainForeignKey,
            "\(table.name).\(column) was a plain value in an earlier export, and stayed one though it refers to rows "
                + "now."
        )
        return true
    }

    /// Says that a column leads to what is a list, whose entries have no names.
    mutating func noteReferenceIntoList(_ column: SQLiteColumn, _ source: Source, _ list: Source) {
        guard source.survey[column.name].count > 0 else { return }
        warn(
            .unmappedProperty,
            "\(source.table.name).\(column.name) refers to the rows of \(list.table.name), which was a list in an "
                + "earlier export and stayed one; what it refers to is lost, and its values stayed as they are."
        )
    }

    /// Says that the values of a key are stored in another way than before, where that makes other keys of them.
    mutating func noteChangedSorts(from earlier: [String], of key: RowKey, _ survey: TableSurvey) {
        guard key.sorts.count == earlier.count else { return }
        for (place, column) in key.columns.enumerated() where survey[column].count > 0 {
            let words = earlier[place].split(separator: "+").map(String.init)
            let before = Set(words.compactMap(RowKey.Sort.init))
            guard key.mayChange(before, key.storedSorts[place]) else { continue }
            warn(
                .changedKey,
                "\(key.table).\(column) tells rows apart, and was stored as \(words.joined(separator: " and ")) in an "
                    + "earlier export; what is stored otherwise now may be a new row, and the old one missing."
            )
        }
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
