import ExportFormats
import LegacyRecords
import Reprise

/// Lists whose members say themselves where they belong.
extension MigrationWriter {
    /// Puts the lists whose members say themselves where they belong into the order of the export, and empties those
    /// that the export no longer gives. What rows may come into late is put in order with its places, in the end.
    func orderLists(from store: Store, _ loader: inout BulkLoader) throws {
        try emptyMissing(from: store, &loader)
        try forEachOrder(&loader) { key, owner, wanted, present, transaction in
            guard try !mayBeDisturbed(owner, wanted, of: key.member) else { return 0 }
            let names = Set(wanted.map(ExactText.init))
            let entries = present.filter { names.contains(ExactText($0.target)) }
            try order(key.toMany, of: owner, entries, wanted, &transaction)
            return 0
        } long: { long, loader in
            if try mayBeDisturbed(long) { return }
            let isUpdate = try comesIntoOtherOrder(long, of: store, &loader)
            try arrange(long, &loader) { if isUpdate { try didUpdate(long.owner) } }
        }
    }

    /// Goes through the lists whose order the export gives and whose owners are there, as many in a batch as fit; each
    /// is in one batch, but for long ones.
    ///
    /// - Parameters:
    ///   - body: gets a list's owner, its members in order, and its entries; returns how much it did besides.
    ///   - arrange: gets a list that is longer than fits into a batch.
    func forEachOrder(
        _ loader: inout BulkLoader,
        _ body: (
            MemberOrders.Key, EntityReference, _ wanted: [String], _ present: [EntryID],
            inout WriteTransaction
        ) throws -> Int,
        long arrange: (LongList, inout BulkLoader) throws -> Void
    ) throws {
        for (key, lists) in try orders.grouped() {
            var next = 0
            while next < lists.count {
                var long: LongList?
                try batch(.ordering, &loader) { transaction in
                    var unitCount = 0
                    while next < lists.count, unitCount < batchUnitCount {
                        let owner = EntityReference(model: key.owner, id: try lists.owner(at: next))
                        let isLong = try lists.isLonger(than: longBounds.lengthMax, at: next)
                        guard !isLong,
                            let present = try entriesUnlessLong(
                                of: key.toMany,
                                owner,
                                in: transaction
                            )
                        else {
                            long = try longList(key, of: owner, lists, next, in: transaction)
                            return
                        }
                        let wanted = try lists.members(at: next)
                        next += 1
                        unitCount += wanted.count
                        guard try exists(owner.model, owner.id, in: transaction) else { continue }
                        unitCount += try body(key, owner, wanted, present, &transaction)
                    }
                }
                guard let long else { continue }
                try arrange(long, &loader)
                next += 1
            }
        }
    }

    /// A long list whose members say themselves where they belong, with those of them that it has.
    private func longList(
        _ key: MemberOrders.Key,
        of owner: EntityReference,
        _ lists: WantedLists,
        _ index: Int,
        in transaction: borrowing WriteTransaction
    ) throws -> LongList {
        let wanted = RememberedIdentifiers(in: pass.memory)
        let all = try lists.identifiers(at: index, in: pass.memory)
        for place in 0..<all.count {
            let member = try all.key(at: place)
            if try has(key.toMany, owner, member.text, in: transaction) {
                try wanted.append(member)
            }
        }
        return LongList(key.toMany, of: owner, wanted, isWhole: false, in: pass.memory)
    }

    /// Puts entries of a list into order; members that are not among them stay where they are.
    ///
    /// - Parameter given: those of the wanted members that the export has; nil where it has all of them.
    /// - Returns: whether the list is as the export has it: not where it keeps the order that somebody has given it.
    @discardableResult
    func order(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        given: [String]? = nil,
        _ transaction: inout WriteTransaction
    ) throws -> Bool {
        let there = Set(present.map { ExactText($0.target) })
        let members = wanted.filter { there.contains(ExactText($0)) }
        // What somebody else has put among them is no part of what the source says.
        let said = given?.filter { there.contains(ExactText($0)) } ?? members
        if present.hasTargets(beginning: members) {
            try pass.noteAgreedOrder(list, of: owner, said, isMade: false, in: transaction)
            return true
        }
        let names = Set(said.map(ExactText.init))
        let keepsOrder = try pass.keepsOrder(
            list,
            of: owner,
            present.filter { names.contains(ExactText($0.target)) },
            said,
            mayGrow: true,
            in: transaction
        )
        if keepsOrder { return false }
        let losesOrder = try pass.losesOrder(
            list,
            present,
            to: members,
            in: transaction,
            isWritten: isWritten
        )
        let isUpdate = try comesIntoOtherOrder(list, of: owner, present, said, in: transaction)
        var hasChanged = false
        try reorder(list, of: owner, present, members, &transaction) {
            didWrite()
            hasChanged = true
        }
        guard hasChanged else { return true }
        try pass.noteAgreedOrder(list, of: owner, said, isMade: true, in: transaction)
        if losesOrder { try pass.warnOverwritten(owner) }
        if isUpdate { try didUpdate(owner) }
        return true
    }

    /// Takes out of the lists of the source's rows what it had put there, where the export gives such a list no
    /// longer: it is empty now.
    private func emptyMissing(from store: Store, _ loader: inout BulkLoader) throws {
        guard pass.isRerun, !pass.isPartial else { return }
        let leaving = try leavingOwners(from: store, &loader)
        for model in pass.shape.models {
            guard let shape = pass.shape.classes[model] else { continue }
            for list in shape.lists.values.sorted(by: { $0.name < $1.name }) {
                try loader.publish()
                let owners = try pass.ownersOfSurplus(
                    list,
                    of: shape,
                    given,
                    leaving: leaving,
                    in: store
                )
                try empty(list, of: owners, in: store, &loader)
            }
        }
    }

    /// The rows that go, where lists may keep them that the export gives; nil where none can.
    private func leavingOwners(
        from store: Store,
        _ loader: inout BulkLoader
    ) throws -> MissingRows? {
        let lists = pass.shape.classes.values.lazy.flatMap(\.lists.values)
        guard lists.contains(where: { $0.memberToOne != nil }) else { return nil }
        try loader.publish()
        let missing = try pass.missing(from: store, warns: false)
        let leaving = try store.read { try pass.leaving(missing, in: $0) }
        return try MissingRows(leaving, in: pass.memory)
    }

    /// Takes out of the lists of rows what migrations of the source had put there.
    private func empty(
        _ list: ClassShape.ToMany,
        of owners: RememberedRows,
        in store: Store,
        _ loader: inout BulkLoader
    ) throws {
        var next = 0
        while next < owners.count {
            var isLong = false
            try batch(.ordering, &loader) { transaction in
                var unitCount = 0
                while next < owners.count, unitCount < batchUnitCount {
                    let owner = try owners.row(at: next)
                    guard let present = try entriesUnlessLong(of: list, owner, in: transaction)
                    else {
                        isLong = true
                        return
                    }
                    next += 1
                    unitCount += 1 + present.count
                    let isChangedHere = try pass.isChangedHere(
                        list,
                        of: owner,
                        LegacyReferences(),
                        in: transaction
                    )
                    try reorder(list, of: owner, present, [], &transaction) {
                        didWrite()
                        try didEmpty(owner, isChangedHere: isChangedHere)
                    }
                }
            }
            guard isLong else { continue }
            let owner = try owners.row(at: next)
            let isChangedHere = try store.read {
                try pass.isChangedHere(list, of: owner, LegacyReferences(), in: $0)
            }
            let none = RememberedIdentifiers(in: pass.memory)
            let long = LongList(list, of: owner, none, isWhole: true, in: pass.memory)
            try arrange(long, &loader) { try didEmpty(owner, isChangedHere: isChangedHere) }
            next += 1
        }
    }

    /// Counts the owner of a list that was emptied, unless it goes itself.
    private func didEmpty(_ owner: EntityReference, isChangedHere: Bool) throws {
        guard
            try pass.hasSeen(owner.model, owner.id) || pass.isWaiting(owner.model, owner.id)
        else { return }
        if isChangedHere { try pass.warnOverwritten(owner) }
        try didUpdate(owner)
    }
}
