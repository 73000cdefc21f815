import ExportFormats
import LegacyRecords
import Reprise

extension MigrationPass {
    /// A row that somebody else has put into the store, or has given its partner in a one-to-one, and that loses that
    /// to a row of the export.
    struct Loser {
        let row: EntityReference
        /// What the partner is called.
        let toOne: String
        let partner: String
        /// The row that gets it.
        let winner: String
    }

    /// Who loses a partner when a row is written.
    func losers<State: StateReading & ~Copyable>(
        to row: Row,
        in state: borrowing State
    ) throws -> [Loser] {
        guard row.shape.hasPairs else { return [] }
        return try row.shape.toOnes.compactMap { toOne in
            guard case .reference(let target)? = row.values[toOne.place] else { return nil }
            return try loser(of: toOne, target, to: row.reference, in: state)
        }
    }

    /// Who loses a partner when a to-one is set. One that must have a partner loses none.
    func loser<State: StateReading & ~Copyable>(
        of toOne: ClassShape.ToOne,
        _ target: String,
        to winner: EntityReference,
        in state: borrowing State
    ) throws -> Loser? {
        guard let name = toOne.partner, let own = shape.classes[winner.model],
            mayHold(own), own.attributes[toOne.place].isOptional,
            let record = try state.record(model: toOne.target, id: target, lists: false),
            case .reference(let rival) = record[name], RecordKey(rival) != RecordKey(winner.id)
        else { return nil }
        let row = EntityReference(model: winner.model, id: rival)
        guard let found = try state.revision(of: row),
            try !isOurs(found.created) || isChangedHere(row, to: toOne.name, in: state)
        else { return nil }
        return Loser(row: row, toOne: toOne.name, partner: target, winner: winner.id)
    }

    /// The to-one that is set later.
    func toOne(_ reference: LateReference) -> ClassShape.ToOne? {
        shape.classes[reference.row.model]?.toOnes.first { $0.place == reference.place }
    }

    /// Says it, once of each.
    func warn(of loser: Loser) throws(LegacyError) {
        let row = loser.row
        guard try told.insert(row.id, of: "\(row.model).\(loser.toOne)") else { return }
        warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) loses its \(loser.toOne)"
                + " \(LibraryReport.quoted(loser.partner)), which it was given here, to"
                + " \(LibraryReport.quoted(loser.winner))."
        )
    }
}
