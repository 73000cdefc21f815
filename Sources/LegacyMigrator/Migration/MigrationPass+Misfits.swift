import LegacyRecords
import Reprise

extension MigrationPass {
    /// Says what of a record is not in its row as the source has it.
    func warnOfMisfits(_ record: ShapedRecord, _ id: String) {
        let shape = record.shape
        for name in record.leftOut {
            warn(
                .unexpectedType,
                "The \(name) of \(shape.model) \(LibraryReport.quoted(id)) was left out."
            )
        }
        for name in record.rounded {
            warn(
                .roundedDate,
                "The \(name) of \(shape.model) \(LibraryReport.quoted(id)) was rounded; a Date does not hold so many"
                    + " digits."
            )
        }
        for place in record.defaulted {
            let outcome =
                shape.mayBeNothing(place)
                ? "required; it is zero, false or empty now."
                : "required and must be unique; a row that is there keeps what it has."
            warn(
                .defaultedValue,
                "The \(shape.model) \(LibraryReport.quoted(id)) has no \(shape.attributes[place].name), which is "
                    + outcome
            )
        }
    }

    func warnOfRefusal(_ row: EntityReference, _ error: StoreError) {
        warn(
            .refusedRecord,
            "The \(row.model) \(LibraryReport.quoted(row.id)) is not as in the export: \(error.message)"
        )
    }
}
