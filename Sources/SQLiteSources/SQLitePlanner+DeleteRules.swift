import Reprise
import SQLiteFile

/// What happens to rows that refer to one which is deleted.
extension SQLitePlanner {
    /// The rule of a foreign key. NULL, and a default, are no way out where the column may not be NULL: SQLite refuses
    /// the deletion then, or puts in what it does not tell.
    static func rule(of side: JoinTable.Side, in table: SQLiteTable) -> DeleteRule {
        switch side.reference.onDelete {
        case .cascade: .cascade
        case .setNull, .setDefault: mayBeNull(side.column, in: table) ? .nullify : .deny
        case .noAction, .restrict: .deny
        }
    }

    /// The rule of one side of a list, by the foreign key of the table that has its entries. That the entries go with
    /// their row, be it that SQLite deletes them or takes the reference out of them, is what any list does; it can
    /// forbid that the row goes as long as there are some.
    static func rule(ofEntries side: JoinTable.Side, in table: SQLiteTable) -> DeleteRule {
        rule(of: side, in: table) == .deny ? .deny : .nullify
    }

    private static func mayBeNull(_ column: SQLiteColumn, in table: SQLiteTable) -> Bool {
        let isRowNumber = table.rowidColumn.map { SQLiteName.areSame($0.name, column.name) } ?? false
        return !column.isNotNull && !isRowNumber
    }
}
