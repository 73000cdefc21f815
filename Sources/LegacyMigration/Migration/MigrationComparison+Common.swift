import MusicLibrary
import Reprise

/// What an export has in common with what an earlier one of the same file name gave.
extension MigrationComparison {
    /// Whether it is asked what the export is of, and not certain yet.
    var asksRelation: Bool { mayBeUnrelated && !common.isRelatedForCertain }

    /// Whether too little says that the export is of what the source gave before.
    var isUnrelated: Bool { mayBeUnrelated && common.isUnrelated }

    /// Among which rows of the source that of a record is, before the export is compared with it; nil where it is none
    /// of them, or where that does not matter.
    func kinship(of row: EntityReference, in state: borrowing ReadTransaction) throws -> ClassGround.Rows? {
        guard asksRelation else { return nil }
        // One that was deleted here comes again where the export has something new of it.
        guard let found = try state.revision(of: row) else {
            if try pass.wasDeletedHere(row, in: state) && pass.hasSaid(row, in: state) { return .before }
            common.newCount += 1
            return nil
        }
        let isOfRun = !pass.isNoPartOfRun(found.created)
        if isOfRun { common.newCount += 1 }
        let last = found.revision.position
        if pass.replacesEverything, last.rawValue >= pass.firstPosition {
            // Where somebody else has changed it since, it is not asked who has said what.
            return isOfRun || pass.isNoPartOfRun(last) ? nil : .replaced
        }
        guard pass.isOurs(found.created) else { return try pass.hasSaid(row, in: state) ? .before : nil }
        return isOfRun ? .interrupted : .before
    }

    /// Notes a record whose row the source knows. One that the identity of the source names says nothing.
    func noteCommon(
        _ record: ShapedRecord,
        _ row: MigrationPass.Row,
        among rows: ClassGround.Rows?,
        in state: borrowing ReadTransaction
    ) throws {
        guard let rows, !pass.namedBySource.contains(record.shape.model) else { return }
        let stored = try state.record(model: row.reference.model, id: row.id, lists: false).map(StoredValues.init)
        ground(of: record).note(record, among: rows) { row.values[$0] ?? record.values[$0] } stored: { place in
            // What somebody has changed here is as the source had said it before where the export says so.
            guard row.values[place] != nil else { return record.values[place] }
            return stored?[row.shape.attributes[place].name]
        }
    }

    /// Notes a record whose row was deleted here, and stays so because the export says of it what the source had said.
    func noteCommonDeleted(_ record: ShapedRecord) {
        guard asksRelation, !pass.namedBySource.contains(record.shape.model) else { return }
        ground(of: record).note(record, among: .before) { record.values[$0] } stored: { record.values[$0] }
    }

    /// Notes that a record came, whatever has become of it.
    func notePassed() {
        if asksRelation { common.pass(rowCount: pass.rowCount) }
    }

    private func ground(of record: ShapedRecord) -> ClassGround {
        common.ground(of: record.shape, identifiedBy: pass.identifyingFields)
    }

    /// Whether it matters that a list has an entry in common: one that the identity of the source names, and had
    /// before.
    func mayHaveCommonEntries(_ owner: EntityReference, in state: borrowing ReadTransaction) throws -> Bool {
        guard asksRelation, pass.namedBySource.contains(owner.model) else { return false }
        return try state.revision(of: owner).map { isKnown($0.created) } ?? false
    }

    /// Whether the source has made an entry.
    func isKnown(_ entry: EntryID) -> Bool { isKnown(Position(rawValue: entry.serial)) }

    /// Whether the source has made something. A migration that is to be taken up had something in common with what was
    /// before, and so has what has something in common with it, unless it was to replace everything.
    private func isKnown(_ position: Position) -> Bool {
        pass.isOurs(position) && (!pass.replacesEverything || pass.isNoPartOfRun(position))
    }

    /// Notes whether a long list and that of the export have an entry in common.
    func noteCommonEntries(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        let wanted = RememberedKeys(in: pass.memory)
        for member in members {
            try wanted.insert(pass.storedIdentifier(list.target, member, in: state), of: list.target)
        }
        var isEmpty = true
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            isEmpty = false
            common.hasCommonEntry = try isKnown(entry) && wanted.contains(entry.target, of: list.target)
            return !common.hasCommonEntry
        }
        if !common.hasCommonEntry, !isEmpty { try noteOtherEntries(members, list, of: owner, in: state) }
    }

    /// Notes that the export has nothing of a list. An entry that was a track of its own, and is one of the library
    /// now, is in both.
    func noteOtherEntries(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        if try shareAPlace(members, list, of: owner, in: state) {
            common.hasCommonEntry = true
        } else {
            common.hasOtherList = true
        }
    }

    /// Whether a track among the entries of the export has its file where one among those of the store has it.
    private func shareAPlace(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard pass.namesRowsOfStore, list.target == Track.schema.name else { return false }
        let places = RememberedSet<PlaceHash>(in: pass.memory)
        for member in members {
            let id = try pass.storedIdentifier(list.target, member, in: state)
            guard let track = try state.record(model: list.target, id: id, lists: false),
                let place = LibraryLocations.place(of: track)
            else { continue }
            _ = try places.insert(place)
        }
        var isShared = false
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            guard isKnown(entry),
                let track = try state.record(model: list.target, id: entry.target, lists: false),
                let place = LibraryLocations.place(of: track)
            else { return true }
            isShared = try places.contains(place)
            return !isShared
        }
        return isShared
    }
}
