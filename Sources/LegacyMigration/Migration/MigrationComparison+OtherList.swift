import MusicLibrary
import Reprise

/// Lists that have nothing of those that an earlier export of the same file name gave.
extension MigrationComparison {
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
            hasCommon = try wanted.contains(entry.target, of: list.target)
            return !hasCommon
        }
        if !hasCommon, !isEmpty { try noteOtherEntries(members, list, of: owner, in: state) }
    }

    /// Notes that the export has nothing of a list that the identity of the source names, where the source had made
    /// its owner before the migration that is to be taken up. An entry that was a track of its own, and is one of the
    /// library now, is in both.
    func noteOtherEntries(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        guard pass.namedBySource.contains(owner.model),
            let created = try state.revision(of: owner)?.created,
            pass.isOurs(created), pass.isNoPartOfRun(created)
        else { return }
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
            guard let track = try state.record(model: list.target, id: entry.target, lists: false),
                let place = LibraryLocations.place(of: track)
            else { return true }
            isShared = try places.contains(place)
            return !isShared
        }
        return isShared
    }
}
