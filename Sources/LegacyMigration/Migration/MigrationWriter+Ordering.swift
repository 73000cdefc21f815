import Reprise

/// Lists whose members say themselves where they belong.
extension MigrationWriter {
    /// Puts the lists whose members say themselves where they belong into the order of the export, and empties those
    /// that the export no longer gives. What rows may come into late is put in order with its places, in the end.
    func orderLists(from store: Store, _ loader: inout BulkLoader) throws {
        try emptyMissing(from: store, &loader)
        try forEachOrder(&loader) { key, owner, wanted, transaction in
            guard try !mayBeDisturbed(owner, wanted, of: key.member),
                try exists(owner.model, owner.id, in: transaction)
            else { return 0 }
            let names = Set(wanted.map(ListMember.init))
            let present = try transaction.entries(of: key.list, model: owner.model, id: owner.id)
                .filter { names.contains(ListMember($0.target)) }
            try order(key.toMany, of: owner, present, wanted, &transaction)
            return 0
        }
    }

    /// Goes through the lists whose order the export gives, as many in a batch as fit; each is in one batch.
    ///
    /// - Parameter body: gets a list's owner and its members in order; returns how much it did besides.
    func forEachOrder(
        _ loader: inout BulkLoader,
        _ body: (
            MemberOrders.Key, EntityReference, _ wanted: [String], inout WriteTransaction
        ) throws -> Int
    ) throws {
        for (key, lists) in try orders.grouped() {
            var next = 0
            while next < lists.count {
                try batch(.ordering, &loader) { transaction in
                    var unitCount = 0
                    while next < lists.count, unitCount < batchUnitCount {
                        let owner = EntityReference(model: key.owner, id: try lists.owner(at: next))
                        let wanted = try lists.members(at: next)
                        next += 1
                        unitCount += wanted.count + (try body(key, owner, wanted, &transaction))
                    }
                }
            }
        }
    }

    /// Puts entries of a list into order; members that are not among them stay where they are.
    func order(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        _ transaction: inout WriteTransaction
    ) throws {
        let there = Set(present.map { ListMember($0.target) })
        let members = wanted.filter { there.contains(ListMember($0)) }
        if present.hasTargets(beginning: members) { return }
        var hasChanged = false
        try reorder(list, of: owner, present, members, &transaction) {
            didWrite()
            hasChanged = true
        }
        if hasChanged { try didUpdate(owner) }
    }

    /// Takes out of the lists of the source's rows what it had put there, where the export gives such a list no
    /// longer: it is empty now.
    private func emptyMissing(from store: Store, _ loader: inout BulkLoader) throws {
        guard pass.isRerun, !pass.isPartial else { return }
        for model in pass.shape.models {
            guard let shape = pass.shape.classes[model] else { continue }
            for list in shape.lists.values.sorted(by: { $0.name < $1.name }) {
                try loader.publish()
                let owners = try pass.ownersOfSurplus(list, of: shape, given, in: store)
                try batches(.ordering, owners, &loader) { owner, transaction in
                    let present = try transaction.entries(
                        of: list.name,
                        model: owner.model,
                        id: owner.id
                    )
                    let isChangedHere = try pass.isChangedHere(owner, in: transaction)
                    var hasChanged = false
                    try reorder(list, of: owner, present, [], &transaction) {
                        if isChangedHere, !hasChanged { warnOverwritten(owner) }
                        hasChanged = true
                        didWrite()
                        try didUpdate(owner)
                    }
                }
            }
        }
    }
}
