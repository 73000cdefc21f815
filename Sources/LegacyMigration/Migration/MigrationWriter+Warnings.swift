import Reprise

/// What a run says of rows.
extension MigrationWriter {
    func warnOfRefusal(_ row: EntityReference, _ error: StoreError) {
        pass.warn(
            .refusedRecord,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }

    func warnOfTaken(_ row: EntityReference, _ error: StoreError) {
        pass.warn(
            .uniqueValueTaken,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }

    func warnOfTooMany(_ row: EntityReference) {
        pass.warn(
            .uniqueValueTaken,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: too many rows waited with it for"
                + " values of others."
        )
    }

    func warnOverwritten(_ row: EntityReference) {
        pass.warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was changed here since the last migration;"
                + " it now is as in the export."
        )
    }

    func warnOfKept(_ owner: EntityReference) {
        pass.warn(
            .entryAddedHere,
            "\(owner.model) \(LibraryReport.quoted(owner.id)) keeps an entry that was added here."
        )
    }
}
