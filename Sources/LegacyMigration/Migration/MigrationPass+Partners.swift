import Reprise

extension MigrationPass {
    /// Warns of rows that others have put into the store and that lose their partner in a one-to-one to this row: the
    /// export knows nothing of them, and so nothing else says it. One that must have a partner loses none.
    func warnOfLosers<State: StateReading & ~Copyable>(
        _ row: Row,
        in state: borrowing State
    ) throws {
        for toOne in row.shape.toOnes where row.shape.attributes[toOne.place].isOptional {
            guard let name = toOne.partner,
                case .reference(let target)? = row.values[toOne.place],
                let shape = self.shape.classes[toOne.target], mayHold(shape),
                let record = try state.record(model: toOne.target, id: target, lists: false),
                case .reference(let rival) = record[name], RecordKey(rival) != RecordKey(row.id),
                let other = try state.revision(of: EntityReference(model: row.shape.model, id: rival)),
                !isOurs(other.created), try !hasCome(row.shape.model, rival),
                try told.insert(rival, of: "\(row.shape.model).\(toOne.name)")
            else { continue }
            warn(
                .localChangeOverwritten,
                "The \(row.shape.model) \(LibraryReport.quoted(rival)), which the export does not have, loses its"
                    + " \(toOne.name) \(LibraryReport.quoted(target)) to \(LibraryReport.quoted(row.id))."
            )
        }
    }

    /// Whether a record of a row has come, be it written or not.
    private func hasCome(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        if try hasSeen(model, id) { return true }
        return try isWaiting(model, id)
    }
}
