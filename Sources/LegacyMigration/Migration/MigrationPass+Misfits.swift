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
    /// Says what a row that is not there yet needs and earlier exports gave: it has nothing to keep.
    func warnOfVanished<State: StateReading & ~Copyable>(
        _ row: Row,
        in state: borrowing State
    ) throws {
        let shape = row.shape
        guard shape.vanishedPlaces.contains(where: { row.values[$0] == nil }),
            try state.revision(of: row.reference) == nil
        else { return }
        for place in shape.vanishedPlaces where row.values[place] == nil && shape.mayBeNothing(place) {
            warn(
                .defaultedValue,
                "The export has no \(shape.attributes[place].name) any more, which the new \(shape.model)"
                    + " \(LibraryReport.quoted(row.id)) needs; it is zero, false or empty there."
            )
        }
    }
}
