package import ExportFormats
package import Reprise

/// Keys of rows, by their models.
extension RememberedKeys {
    /// Adds a row; returns whether it is new.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything that may ask a table.
    @discardableResult
    package func insert(_ row: EntityReference) throws(LegacyError) -> Bool {
        try insert(row.id, of: row.model)
    }

    package func contains(_ row: EntityReference) throws(LegacyError) -> Bool {
        try contains(row.id, of: row.model)
    }

    package func remove(_ row: EntityReference) throws(LegacyError) {
        try remove(row.id, of: row.model)
    }
}
