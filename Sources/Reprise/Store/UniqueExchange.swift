internal import RepriseLMDB

/// Values for a row, in the order of its model's attributes.
public struct RowValues: Sendable {
    /// The row.
    public let reference: EntityReference
    /// One for each attribute of the model's description; nil keeps what is there.
    public let values: [Value?]

    /// - Parameters:
    ///   - reference: the row.
    ///   - values: one for each attribute of the model's description; nil keeps what is there.
    public init(_ reference: EntityReference, _ values: [Value?]) {
        self.reference = reference
        self.values = values
    }
}

extension WriteTransaction {
    /// Updates rows together: a unique value that one of them gives up another one may take, so that two can swap
    /// theirs (STO-48). A row that cannot be updated, and one that waits for a value that such a row keeps, stays as it
    /// is; the others are updated.
    ///
    /// - Returns: for each row what forbids it, as ``StateReading/refusals(together:)``; nil where it was updated.
    /// - Throws: ``StoreError``; `invalidValue` where a row is given twice.
    /// - Complexity: O(rows · (log n + attributes)).
    public mutating func update(together rows: [RowValues]) throws -> [StoreError?] {
        try access.run {
            try access.workspace.settle()
            let exchange = try UniqueExchange(rows, in: access)
            try session.change {
                for (row, refusal) in zip(rows, exchange.refusals) where refusal == nil {
                    let model = try access.model(named: row.reference.model)
                    let old = try access.row(model, row.reference.id)
                    try access.encode(row.values, over: old, model, row.reference.id)
                    _ = try session.update(model, id: row.reference.id, checksUnique: false)
                }
            }
            return exchange.refusals
        }
    }
}

extension StateReading where Self: ~Copyable {
    /// What forbids each of several rows that ``WriteTransaction/update(together:)`` is to update, as things stand; nil
    /// where nothing does (STO-48).
    ///
    /// - Returns: errors with the code `entityMissing`, `invalidIdentifier`, `invalidValue`, `valueTooLarge`,
    ///   `targetMissing` or `uniqueViolation`. A row whose partner in a one-to-one changes has `invalidValue`.
    /// - Throws: ``StoreError`` where the store cannot be read or has no such model, or a row is given twice.
    /// - Complexity: O(rows · (log n + attributes)).
    public func refusals(together rows: [RowValues]) throws -> [StoreError?] {
        try access.run { try UniqueExchange(rows, in: access).refusals }
    }
}

/// Which of several rows can be updated together. Nothing is changed.
struct UniqueExchange {
    /// A row that wants what another one of them has.
    private struct Waiting {
        let place: Int
        let claim: [UInt8]
        let holder: Int
        let error: StoreError
    }

    /// What forbids each row.
    private(set) var refusals: [StoreError?]

    private let access: StateAccess
    private var places: [EntityKey: Int] = [:]
    /// Which row gives up which values of a unique index.
    private var givers: [[UInt8]: Int] = [:]
    /// The identifier of the row that asked for such values first.
    private var takers: [[UInt8]: [UInt8]] = [:]
    private var waiting: [Waiting] = []
    private let key = KeyCell()

    init(_ rows: [RowValues], in access: StateAccess) throws {
        self.access = access
        refusals = Array(repeating: nil, count: rows.count)
        for (place, row) in rows.enumerated() {
            let model = try access.model(named: row.reference.model)
            let key = EntityKey(model: model.number, id: row.reference.id)
            guard places.updateValue(place, forKey: key) == nil else {
                throw StoreError(
                    .invalidValue,
                    "\(row.reference) is to be updated twice.",
                    advice: "Give each row once."
                )
            }
        }
        for (place, row) in rows.enumerated() {
            do {
                try examine(row, at: place)
            } catch let error as StoreError where Self.codes.contains(error.code) {
                refusals[place] = error
            }
        }
        settle()
    }

    private static let codes: Set<StoreError.Code> = [
        .entityMissing, .invalidIdentifier, .invalidValue, .valueTooLarge, .targetMissing,
        .uniqueViolation,
    ]

    /// Looks at one row by itself, and notes the values that it gives up and those that it wants of others.
    private mutating func examine(_ row: RowValues, at place: Int) throws {
        let model = try access.model(named: row.reference.model)
        let key = try unsafe self.key.row(model, row.reference.id)
        guard let old = try access.row(model, row.reference.id) else {
            throw StoreError.entityMissing(row.reference)
        }
        try access.encode(row.values, over: old, model, row.reference.id)
        let before = try unsafe RowPayload(trusting: old.payload)
        let after = try unsafe RowPayload(trusting: access.workspace.scratch.bytes)
        var given: [[UInt8]] = []
        var wanted: [(index: CompiledIndex, claim: UniqueClaim)] = []
        for index in model.uniqueIndexes {
            let has = UniqueClaim(index, before)
            let wants = UniqueClaim(index, after)
            if has?.bytes == wants?.bytes { continue }
            if let has { given.append(has.bytes) }
            if let wants { wanted.append((index, wants)) }
        }
        try unsafe checkReferences(model, row.reference, key, from: before, to: after)
        for (index, claim) in wanted {
            let holder = try unsafe access.workspace.holder(
                of: claim,
                model,
                index,
                after,
                except: key
            )
            guard let holder else { continue }
            let error = access.workspace.violation(model, index, holder: holder)
            guard let other = places[EntityKey(model: model.number, id: holder)] else {
                throw error
            }
            waiting.append(
                Waiting(place: place, claim: claim.bytes, holder: other, error: error)
            )
        }
        for (index, claim) in wanted {
            if let first = takers[claim.bytes] {
                throw access.workspace.violation(model, index, holder: first)
            }
            takers[claim.bytes] = Array(row.reference.id.utf8)
        }
        for claim in given { givers[claim] = place }
    }

    /// What an update by itself finds out of the to-ones, and those that take a partner away from others.
    private func checkReferences(
        _ model: CompiledModel,
        _ row: EntityReference,
        _ key: UnsafeRawBufferPointer,
        from before: RowPayload,
        to after: RowPayload
    ) throws {
        for reference in model.referenceSlots {
            let old = try unsafe before.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            let new = try unsafe after.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            if old == new { continue }
            if reference.partnerSlot != nil {
                throw StoreError(
                    .invalidValue,
                    "\(row) gets another partner, which cannot be done together with others.",
                    advice: "Update it by itself."
                )
            }
            guard let new else { continue }
            let target = EntityKey(model: reference.targetModel, id: new)
            if target == EntityKey(model: model.number, id: row.id) { continue }
            if try access.workspace.contains(target) { continue }
            throw StoreError.targetMissing(
                EntityReference(
                    model: try access.workspace.schema.model(reference.targetModel).name,
                    id: target.text
                ),
                from: row
            )
        }
    }

    /// Refuses the rows that wait for what another one keeps, and those that wait for them.
    private mutating func settle() {
        var dependents: [Int: [Waiting]] = [:]
        var refused = refusals.indices.filter { refusals[$0] != nil }
        for wish in waiting where refusals[wish.place] == nil {
            if givers[wish.claim] == wish.holder {
                dependents[wish.holder, default: []].append(wish)
            } else {
                refusals[wish.place] = wish.error
                refused.append(wish.place)
            }
        }
        while let place = refused.popLast() {
            for wish in dependents[place] ?? [] where refusals[wish.place] == nil {
                refusals[wish.place] = wish.error
                refused.append(wish.place)
            }
        }
    }
}
