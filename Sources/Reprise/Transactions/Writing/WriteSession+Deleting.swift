internal import RepriseLMDB
internal import RepriseLog

/// Deleting, with all that the rules make of it.
extension WriteSession {
    /// Deletes an entity and records each consequence with its cause. A denied deletion throws and does nothing.
    func delete(_ root: EntityKey, expecting: ExpectedRevision = .any) throws -> DeletionPlan {
        try workspace.settle()
        guard let row = try workspace.row(root) else {
            if case .exactly = expecting {
                throw conflict(expecting, actual: nil, try reference(root))
            }
            throw StoreError.entityMissing(try reference(root))
        }
        if expecting != .any {
            let reference = try reference(root)
            try check(expecting, actual: row.revision, reference)
        }
        let planner = DeletionPlanner(workspace: workspace)
        let outcome = try planner.outcome(of: root)
        let plan = try planner.plan(from: outcome)
        if plan.isDenied {
            let denial = plan.deniedBy[0]
            throw StoreError(
                .deleteDenied,
                "\(try reference(root)) cannot be deleted: \(denial.relationship) of \(denial.entity) "
                    + "still has \(denial.partner)"
                    + (plan.deniedBy.count > 1 ? " and others." : "."),
                advice: "Delete or unlink what is still there first.",
                cause: .deleteDenied(by: plan.deniedBy)
            )
        }
        var positions: [UInt64] = []
        for (index, element) in outcome.deleted.enumerated() {
            let cause = index == 0 ? 0 : positions[element.cause]
            positions.append(try deleteRow(element.entity, cause: cause))
        }
        for element in outcome.nullified {
            try setSlot(
                element.entity,
                slot: element.slot,
                to: nil,
                cause: positions[element.cause]
            )
        }
        for element in outcome.unlinked {
            try unlink(element.entry, element.list, cause: positions[element.cause])
        }
        return plan
    }

    /// Deletes one row together with the entries of the lists that it owns.
    @discardableResult
    func deleteRow(_ entity: EntityKey, cause: UInt64) throws -> UInt64 {
        var owned: [(ListKey, ListEntry)] = []
        for end in try schema.model(entity.model).ownedLists {
            let list = ListKey(relation: end.relation.number, id: entity.id)
            owned += try workspace.entries(of: list).map { (list, $0) }
        }
        let position = try recordDeletion(of: entity, cause: cause, entryCount: owned.count) { body in
            for (list, entry) in owned { body(list, entry) }
        }
        for (list, entry) in owned { workspace.unlink(entry, in: list) }
        return position
    }

    /// Deletes one row.
    ///
    /// - Parameters:
    ///   - entryCount: how many entries its lists have.
    ///   - forEachEntry: hands these over.
    @discardableResult
    func recordDeletion(
        of entity: EntityKey,
        cause: UInt64,
        entryCount: Int,
        _ forEachEntry: (_ body: (ListKey, ListEntry) -> Void) throws -> Void
    ) throws -> UInt64 {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe workspace.find(key.bytes)
        guard let row = found.row else { throw StoreError.entityMissing(try reference(entity)) }
        let next = builder.nextPosition
        guard row.created < next else { throw unsafe StoreError.damagedRow(key: key.bytes) }
        var failure: (any Error)?
        let position = try unsafe record(
            .deleted,
            entity.model,
            id: UnsafeRawBufferPointer(rebasing: key.bytes[2...]),
            previous: row.revision,
            cause: cause
        ) { writer in
            writer.varint(next - row.created)
            writer.varint(UInt64(unsafe row.payload.count))
            unsafe writer.bytes(row.payload)
            writer.varint(UInt64(entryCount))
            do {
                try forEachEntry { list, entry in
                    writer.varint(UInt64(list.relation))
                    writer.u64(entry.orderKey)
                    writer.varint(entry.serial)
                    writer.counted(entry.target)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try unsafe workspace.remove(key.bytes, found: found, tombstone: position)
        return position
    }
}
