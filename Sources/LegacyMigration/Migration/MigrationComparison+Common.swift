import MusicLibrary
import Reprise

/// What an export has in common with what an earlier one of the same file name gave.
extension MigrationComparison {
    /// Whether it is asked what the export is of, and not certain yet.
    var asksRelation: Bool { mayBeUnrelated && !common.isRelatedForCertain(rowCount: pass.rowCount) }

    /// Whether too little says that the export is of what the source gave before.
    var isUnrelated: Bool { mayBeUnrelated && common.isUnrelated }

    /// What the source has to do with a row before the export is compared with it.
    enum Kinship {
        case none
        /// It had made the row, or come to say what somebody else had.
        case before
        /// An interrupted migration has made it which is to be taken up.
        case interrupted
        /// One has written over it that is to replace everything, and to be taken up.
        case replaced
    }

    /// What the source has to do with a row, where it matters.
    func kinship(of row: EntityReference, in state: borrowing ReadTransaction) throws -> Kinship {
        guard asksRelation else { return .none }
        // One that was deleted here comes again where the export has something new of it.
        guard let found = try state.revision(of: row) else {
            if try pass.wasDeletedHere(row, in: state) && pass.hasSaid(row, in: state) { return .before }
            common.newCount += 1
            return .none
        }
        if !pass.isNoPartOfRun(found.created) { common.newCount += 1 }
        if pass.replacesEverything, !pass.isNoPartOfRun(found.revision.position) {
            return pass.isNoPartOfRun(found.created) ? .replaced : .none
        }
        guard pass.isOurs(found.created) else { return try pass.hasSaid(row, in: state) ? .before : .none }
        return pass.isNoPartOfRun(found.created) ? .before : .interrupted
    }

    /// Notes a record whose row the source knows. One that the identity of the source names says nothing.
    func noteCommon(
        _ record: ShapedRecord,
        _ row: MigrationPass.Row,
        _ kinship: Kinship,
        in state: borrowing ReadTransaction
    ) throws {
        guard kinship != .none, !pass.namedBySource.contains(record.shape.model) else { return }
        let sort = CommonGround.KeySort(record)
        var likeness = CommonGround.Likeness()
        if sort != .telling || kinship == .replaced,
            let stored = try state.record(model: row.reference.model, id: row.id, lists: false)
        {
            for (place, attribute) in row.shape.attributes.enumerated() {
                guard let given = record.values[place], !given.isText(record.key) else { continue }
                if let value = row.values[place] {
                    likeness.note(value, stored: stored[attribute.name])
                } else {
                    // Somebody has changed it here, and the export says what the source had said before.
                    likeness.noteSame(given)
                }
            }
        }
        if kinship == .replaced { return common.noteReplacement(likeness) }
        common.note(sort, likeness, mayContradict: kinship == .before)
    }

    /// Notes a record whose row was deleted here, and stays so because the export says of it what the source had said.
    func noteCommonDeleted(_ record: ShapedRecord) {
        guard asksRelation, !pass.namedBySource.contains(record.shape.model) else { return }
        var likeness = CommonGround.Likeness()
        for case .some(let value) in record.values where !value.isText(record.key) { likeness.noteSame(value) }
        common.note(CommonGround.KeySort(record), likeness, mayContradict: true)
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
