import MusicLibrary
import Reprise

/// What an export has in common with what an earlier one of the same file name gave.
extension MigrationComparison {
    /// Notes a record that is in the store, too. One that the identity of the source names says nothing of what two
    /// exports are; one whose key only counts says it by what else both say.
    ///
    /// - Parameter isSame: whether the export says of it what the source had said.
    func noteCommon(_ record: ShapedRecord, isSame: @autoclosure () throws -> Bool) rethrows {
        guard !hasCommon, !pass.namedBySource.contains(record.shape.model) else { return }
        if !record.isNumbered {
            hasCommon = true
        } else if try !isSame() {
            contradictedCount += 1
        } else if record.values.contains(where: { $0?.isTelling ?? false }) {
            hasCommon = true
        } else {
            hasAgreeing = true
        }
    }

    /// Whether the export says of a row what the store says, or of what it says nothing.
    func isSame(_ row: MigrationPass.Row, in state: borrowing ReadTransaction) throws -> Bool {
        guard let record = try state.record(model: row.reference.model, id: row.id, lists: false) else { return false }
        for (place, attribute) in row.shape.attributes.enumerated() {
            guard let value = row.values[place] else { continue }
            let stored = record[attribute.name]
            if stored != value, stored != .null, stored != row.shape.nothings[place] { return false }
        }
        return true
    }

    /// Whether the store has rows of the source, or the entries of its list, that would go or become other ones, and
    /// nothing says that the export is of the same thing.
    var isUnrelated: Bool {
        if hasCommon { return false }
        if hasOtherList || contradictedCount >= Self.contradictionsOfAnother { return true }
        return hasMissing && (contradictedCount > 0 || !hasAgreeing)
    }

    /// As many records as hardly all change from one export to the next.
    private static let contradictionsOfAnother = 16

    /// Whether it matters that a record has a row: the source had made it, or come to say what somebody else had.
    func isKnown(_ row: EntityReference, in state: borrowing ReadTransaction) throws -> Bool {
        guard pass.source.isFileName, !hasCommon else { return false }
        // One that was deleted here comes again where the export has something new of it.
        guard let found = try state.revision(of: row) else {
            return try pass.wasDeletedHere(row, in: state) && pass.hasSaid(row, in: state)
        }
        return try isKnown(found.created) || !pass.isOurs(found.created) && pass.hasSaid(row, in: state)
    }

    /// Whether it matters that a list has an entry in common: one that the identity of the source names, and had
    /// before.
    func mayHaveCommonEntries(_ owner: EntityReference, in state: borrowing ReadTransaction) throws -> Bool {
        guard pass.source.isFileName, !hasCommon, pass.namedBySource.contains(owner.model) else { return false }
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
            hasCommon = try isKnown(entry) && wanted.contains(entry.target, of: list.target)
            return !hasCommon
        }
        if !hasCommon, !isEmpty { try noteOtherEntries(members, list, of: owner, in: state) }
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
            hasCommon = true
        } else {
            hasOtherList = true
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
