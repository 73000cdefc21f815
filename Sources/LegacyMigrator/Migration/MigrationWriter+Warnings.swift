import LegacyRecords
import Reprise

/// What a run says of rows.
extension MigrationWriter {
    /// What the store says of one record and not of itself.
    static let refusals: Set<StoreError.Code> = [
        .entityExists, .invalidIdentifier, .invalidValue, .targetMissing, .valueTooLarge,
    ]

    func warnOfRefusal(_ row: EntityReference, _ error: StoreError) {
        pass.warn(
            .refusedRecord,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }

    func warnOfTaken(_ row: EntityReference, _ error: StoreError) {
        guard error.code == .uniqueViolation else { return warnOfRefusal(row, error) }
        pass.warn(
            .uniqueValueTaken,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }

    /// A run that was interrupted has tried it for the last time, or too many wait now.
    func warnOfLeftOut(_ row: EntityReference) {
        pass.warn(
            .uniqueValueTaken,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: another row had its value when"
                + " it could wait no longer."
        )
    }
}
