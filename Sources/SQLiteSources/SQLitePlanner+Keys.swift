import Reprise
import SQLiteFile

/// The columns that say the same as the identifiers of the records.
extension SQLitePlanner {
    /// Whether a column alone tells the rows of its table apart. The identifiers of the records do so then: the column
    /// beside them is not unique, because two databases may have the same keys, and both may be in one store.
    func isKey(_ column: String, of source: Source) -> Bool {
        source.key.columns.count == 1 && SQLiteName.areSame(source.key.columns[0], column)
    }

    /// Whether a column is the text that a record is told by: its identifier says the same.
    func isPlainKey(_ column: String, _ source: Source) -> Bool {
        guard isKey(column, of: source), SQLiteName.areSame(column, "id") else { return false }
        if let wasKey = earlier.isSomething(DatabaseChoice.identifier, column, in: source.table.name) {
            return wasKey
        }
        let found = source.survey[column]
        // An empty table as it will be when there are rows.
        if found.count == 0 {
            return source.table.column(column).map { DeclaredType.form($0.declaredType) } == .string
        }
        return found.hasOnlyTexts && found.areKeys
    }

    /// The column that is no attribute because its text is the record's identifier, where it has other values now, or
    /// texts that no identifier can be.
    func keptIdentifier(of source: Source) -> String? {
        guard source.key.columns.count == 1, isPlainKey(source.key.columns[0], source) else { return nil }
        let found = source.survey[source.key.columns[0]]
        return found.hasOnlyTexts && found.areKeys ? nil : source.key.columns[0]
    }

    /// The attribute in which every row has its key, in the same words: a number or a text.
    func keyField(of source: Source, _ names: [[UInt8]: String]) -> String? {
        guard source.key.columns.count == 1, !source.key.isMade, !source.key.isMixed else { return nil }
        let found = source.survey[source.key.columns[0]]
        guard found.integerCount == found.count || found.hasOnlyTexts && found.areKeys else { return nil }
        return names[SQLiteName.bytes(source.key.columns[0])]
    }
}
