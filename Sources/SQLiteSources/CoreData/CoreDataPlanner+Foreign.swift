import LegacyRecords
import SQLiteFile

/// What a store has besides its entities and their relationships.
extension CoreDataPlanner {
    /// Says of each such table that it was left out. What the app's own values would be in is a loss: a table where
    /// there is something in it, and a virtual one in any case, because only its module knows.
    mutating func leaveOutForeign(_ tables: [SQLiteTable]) throws {
        let bookkeeping = try CoreDataBookkeeping(tables, entities.entities.map(\.name), in: database)
        for table in tables where isForeign(table) {
            if bookkeeping.has(table) {
                warn(.bookkeepingTable, "\(table.name) is no table of an entity; it was left out.")
            } else if table.kind == .virtual {
                warn(.skippedTable, "\(table.name) belongs to a search index or another module; it was left out.")
            } else if try database.rowCount(of: table) > 0 {
                warn(.skippedTable, "\(table.name) belongs to no entity that is known; its rows were left out.")
            } else {
                warn(.bookkeepingTable, "\(table.name) is no table of an entity; it was left out.")
            }
        }
    }

    /// A table that is neither an entity's nor a relationship's nor one in which every store of Core Data describes
    /// itself. What a virtual table keeps its data in is not one either.
    private func isForeign(_ table: SQLiteTable) -> Bool {
        guard table.kind == .table || table.kind == .virtual else { return false }
        return !roots.contains { SQLiteName.areSame($0.table.name, table.name) }
            && !joins.contains { SQLiteName.areSame($0.table.name, table.name) }
            && !["z_primarykey", "z_metadata", "z_modelcache"].contains(SQLiteName.folded(table.name))
    }
}
