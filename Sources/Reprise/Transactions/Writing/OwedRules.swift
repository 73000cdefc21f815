internal import RepriseLog

/// What the body of a write still owes the rules: unique values that more than one row has had for a while, and to-ones
/// that led to rows which were not there yet. It is looked at when the body is through (REL-33).
struct OwedRules {
    /// Rows that have had the same values of a unique index, the first holder first.
    struct Claim {
        let model: CompiledModel
        let index: CompiledIndex
        var ids: [[UInt8]]
    }

    private(set) var claims: [[UInt8]: Claim] = [:]
    /// The claims in the order in which they came.
    private(set) var order: [[UInt8]] = []
    private(set) var targets: [(entity: EntityKey, reference: ReferenceSlot)] = []

    var isEmpty: Bool { claims.isEmpty && targets.isEmpty }

    /// Notes a row that wants values which are owed already. Returns false where they are not.
    mutating func add(_ id: [UInt8], to claim: UniqueClaim) -> Bool {
        guard var known = claims[claim.bytes] else { return false }
        if !known.ids.contains(id) {
            known.ids.append(id)
            claims[claim.bytes] = known
        }
        return true
    }

    mutating func begin(_ claim: UniqueClaim, _ model: CompiledModel, _ index: CompiledIndex, _ ids: [[UInt8]]) {
        claims[claim.bytes] = Claim(model: model, index: index, ids: ids)
        order.append(claim.bytes)
    }

    mutating func add(_ entity: EntityKey, _ reference: ReferenceSlot) {
        targets.append((entity, reference))
    }
}

extension WriteSession {
    /// Makes sure that what must be unique is, or notes that it is owed.
    func claimUnique(_ model: CompiledModel, key: UnsafeRawBufferPointer, payload: RowPayload) throws {
        guard defersRules else { return try unsafe workspace.checkUnique(model, key: key, payload: payload) }
        let payload = unsafe payload.with(model.defaults)
        for index in model.uniqueIndexes {
            guard let claim = try UniqueClaim(index, payload) else { continue }
            if !owed.claims.isEmpty, unsafe owed.add([UInt8](key.dropFirst(2)), to: claim) { continue }
            if let holder = try unsafe workspace.holder(of: claim, model, index, payload, except: key) {
                unsafe owed.begin(claim, model, index, [holder, [UInt8](key.dropFirst(2))])
            }
        }
    }

    /// Looks at everything that is owed.
    ///
    /// - Throws: `uniqueViolation` and `targetMissing` for the first that is not paid.
    func settleOwedRules() throws {
        if owed.isEmpty { return }
        for bytes in owed.order {
            guard let claim = owed.claims[bytes] else { continue }
            let holders = try claim.ids.filter { id in
                guard let row = try workspace.row(EntityKey(model: claim.model.number, id: id)) else { return false }
                let payload = try unsafe RowPayload(trusting: row.payload, claim.model.defaults)
                return try UniqueClaim(claim.index, payload)?.bytes == bytes
            }
            guard holders.count < 2 else {
                throw Workspace.violation(claim.model, claim.index, holder: holders[0], other: holders[1])
            }
            workspace.uniqueClaims[bytes] = holders.first
        }
        for (entity, reference) in owed.targets {
            guard let row = try workspace.row(entity),
                let slot = unsafe try RowPayload(trusting: row.payload).slot(reference.slot)
            else { continue }
            let target = unsafe EntityKey(model: reference.targetModel, id: try ReferenceBytes(slot).target)
            if try workspace.contains(target) { continue }
            throw StoreError.targetMissing(try self.reference(target), from: try self.reference(entity))
        }
        owed = OwedRules()
    }
}

extension WriteTransaction {
    /// Makes each operation from here on throw what it breaks by itself, and looks at what the operations before have
    /// left open.
    ///
    /// As a rule, unique values and the targets of to-ones are looked at when the closure of a `write` is through, so
    /// that two rows can exchange a value and a row can name one that is inserted later; then `write` throws. Call this
    /// first where the closure wants to catch such an error and go on:
    ///
    /// ```swift
    /// try store.write { tx in
    ///     try tx.checkRulesAtOnce()
    ///     for person in people {
    ///         do { try tx.insert(person) } catch let error as StoreError where error.code == .uniqueViolation {
    ///             skipped.append(person)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The batches of a ``BulkLoader`` always do so.
    ///
    /// - Throws: `uniqueViolation` or `targetMissing` for the first rule that operations before have broken.
    public mutating func checkRulesAtOnce() throws {
        try access.run {
            try session.settleOwedRules()
            session.defersRules = false
        }
    }
}
