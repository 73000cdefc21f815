import MusicLibrary
import Reprise

/// Bringing lists into the order of the export.
extension MigrationWriter {
    /// Makes a list the wanted one with the fewest changes; entries that stay keep their identity,
    /// and entries that were added in the store stay.
    ///
    /// - Parameter change: called before the first change.
    func reorder<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ present: [Entry<Target>],
        _ wanted: [String],
        _ transaction: inout WriteTransaction,
        change: () -> Void
    ) throws {
        let difference = ListDifference(from: present.map(\.target.rawValue), to: wanted)
        var lastKept = -1
        for index in difference.surplus {
            let entry = present[index]
            if pass.isOurs(Position(rawValue: entry.id.serial)) {
                change()
                try transaction.unlink(relationship, entry: entry.id, of: owner)
            } else {
                lastKept = index
                pass.warn(
                    .entryAddedHere,
                    "\(Owner.schema.name) \(LibraryReport.quoted(owner.rawValue)) keeps an entry"
                        + " that was added here."
                )
            }
        }
        let lastStay = difference.steps.lastIndex { if case .stay = $0 { true } else { false } }
        var lastStayIndex = -1
        if let lastStay, case .stay(let index) = difference.steps[lastStay] {
            lastStayIndex = index
        }
        var before: EntryID?
        for (place, step) in difference.steps.enumerated() {
            // Behind everything that stays the end of the list is the right place, and a cheap one.
            let isTail = place > lastStay ?? -1 && lastKept <= lastStayIndex
            let placement = isTail ? Placement.last : before.map { .after($0) } ?? .first
            switch step {
            case .stay(let index): before = present[index].id
            case .move(let index):
                change()
                let entry = present[index].id
                try transaction.move(relationship, entry: entry, of: owner, to: placement)
                before = entry
            case .add:
                change()
                let target = Target.ID(wanted[place])
                before =
                    try link(relationship, from: owner, to: target, at: placement, &transaction)
                    ?? before
            }
        }
    }

    /// Puts an entry into a list; when its target does not exist it is left out with a warning.
    @discardableResult
    func link<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        from owner: Owner.ID,
        to target: Target.ID,
        at placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws -> EntryID? {
        do {
            return try transaction.link(relationship, from: owner, to: target, at: placement).id
        } catch let error as StoreError where error.code == .targetMissing {
            pass.warn(
                .missingTarget,
                "\(Owner.schema.name) \(LibraryReport.quoted(owner.rawValue)) has an entry"
                    + " \(LibraryReport.quoted(target.rawValue)) that does not exist; it was left out."
            )
            return nil
        }
    }

    /// Puts the tracks of all albums and the children of all folders into the order of the export.
    func orderLists(_ loader: inout BulkLoader) throws {
        try order(Album.tracks, pass.albumOrder.grouped(), &loader)
        try order(Playlist.children, pass.folderOrder.grouped(), &loader)
    }

    private func order<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        _ lists: WantedLists,
        _ loader: inout BulkLoader
    ) throws {
        var next = 0
        while next < lists.count {
            try batch(.ordering, &loader) { transaction in
                var unitCount = 0
                while next < lists.count, unitCount < batchUnitCount {
                    let owner = Owner.ID(lists.owner(at: next))
                    let wanted = lists.members(at: next)
                    try order(relationship, of: owner, wanted, &transaction)
                    unitCount += wanted.count
                    next += 1
                }
            }
        }
    }

    /// Puts one list into order. Members that the export does not name stay where they are.
    private func order<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ wanted: [String],
        _ transaction: inout WriteTransaction
    ) throws {
        let names = Set(wanted.map(ListMember.init))
        let present = try transaction.entries(relationship, of: owner)
            .filter { names.contains(ListMember($0.target.rawValue)) }
        let there = Set(present.map { ListMember($0.target.rawValue) })
        let members = wanted.filter { there.contains(ListMember($0)) }
        if zip(present, members).allSatisfy({ $0.target == Target.ID($1) }) { return }
        var hasChanged = false
        try reorder(relationship, of: owner, present, members, &transaction) {
            didWrite()
            hasChanged = true
        }
        if hasChanged { didReorder(Owner.schema.name, owner.rawValue) }
    }
}
