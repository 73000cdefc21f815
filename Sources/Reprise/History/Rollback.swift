internal import RepriseLMDB
internal import RepriseLog

/// What a rollback did.
public struct RollbackReport: Sendable, Hashable {
    /// The position whose state was left.
    public let from: Position
    /// The position whose state is the present one again.
    public let to: Position
    /// The head of the log afterwards: the position of the rollback's own event.
    public let head: Position
    /// How many rows were brought back, changed or removed.
    public let changedCount: Int
    /// The digest of the state, the same as at `to`.
    public let digest: StateDigest
}

extension WriteSession {
    /// Makes the present state equal to that at a point in the past, and notes it in the log.
    ///
    /// - Parameters:
    ///   - travel: finds its way on the tables of this session.
    ///   - byteCountMax: how much memory the changes may take; more is ``TimeTravel/IsTooLarge``.
    func rollBack(
        to point: Point,
        expecting head: Position?,
        _ travel: TimeTravel,
        byteCountMax: Int,
        converting: [PlannedConversion]? = nil
    ) throws -> RollbackReport {
        let present = builder.nextPosition - 1
        if let head, head != Position(present) {
            throw Self.headMoved(from: head, to: Position(present))
        }
        let target = try travel.position(of: point)
        try travel.travel(
            workspace,
            from: present,
            to: target,
            byteCountMax: schema.position > target ? .max : byteCountMax,
            isWritten: true
        )
        let log = LogReader(workspace.base, table: travel.tables.log, head: travel.state.log.head)
        let expected = try log.commit(holding: target)?.digest ?? .zero
        // HIS-24: prove that the past was met before anything is kept.
        guard expected == workspace.digest else {
            throw StoreError.damage(
                "The state at position \(target) does not have the digest that the log recorded for it."
            )
        }
        if schema.position > target { try checkRules(converting) }
        let changed = workspace.rows.count
        let position = try record(.rolledBack) { $0.varint(target) }
        let key = LabelKey.rollback(at: position)
        workspace.labels.set(key, to: LabelValue.rollback(to: target, key: key))
        return RollbackReport(
            from: Position(present),
            to: Position(target),
            head: Position(position),
            changedCount: changed,
            digest: StateDigest(workspace.digest)
        )
    }

    /// Makes sure that rows of the past obey what the schema has demanded since (STO-86).
    ///
    /// - Parameter conversions: the functions of the program that are called for the rows afterwards; nil where a tool
    ///   rolls back that has none, and a program calls them later.
    private func checkRules(_ conversions: [PlannedConversion]?) throws {
        var claims: [[UInt8]: [UInt8]] = [:]
        for index in 0..<workspace.rows.count {
            let record = workspace.rows[index]
            guard let row = record.row else { continue }
            let key = unsafe record.keyBytes
            let model = try unsafe schema.model(Workspace.modelNumber(of: key))
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            let missing = model.description.attributes.first { attribute in
                if unsafe attribute.isOptional || payload.slot(attribute.slot) != nil { return false }
                return !Self.isMade(attribute, of: model, payload, conversions)
            }
            if let missing {
                let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
                throw unsafe StoreError(
                    .invalidValue,
                    "\(reference(model, id)) had no \(missing.name) then, which is required now.",
                    advice: "Make it optional before going back. Nothing was changed."
                )
            }
            let values = made(by: conversions ?? [], of: payload, model)
            let converted = try values.flatMap { try unsafe rewrite(row, key, of: model, to: $0)?.payload }
            try unsafe workspace.checkFoldedUnique(model, key: key, payload: converted ?? payload, &claims)
        }
    }

    /// What functions make of a row in attributes that may occur once; nil where they make nothing.
    private func made(
        by conversions: [PlannedConversion],
        of row: RowPayload,
        _ model: CompiledModel
    ) -> SlotValues? {
        let own = conversions.filter { $0.model == model.number }.sorted { $0.slot < $1.slot }
        if own.isEmpty || model.uniqueIndexes.isEmpty { return nil }
        var values = SlotValues()
        for planned in own where unsafe row.slot(planned.slot) == nil {
            guard let bytes = planned.bytes(of: row) else { continue }
            unsafe bytes.withUnsafeBytes { unsafe values.add($0, for: planned.slot) }
        }
        return values.isEmpty ? nil : values
    }

    /// Whether a function makes the value that a row lacks, or may make it later.
    private static func isMade(
        _ attribute: AttributeDescription,
        of model: CompiledModel,
        _ row: RowPayload,
        _ conversions: [PlannedConversion]?
    ) -> Bool {
        if attribute.origins.isEmpty { return false }
        guard let conversions else { return true }
        let place = ConvertedSlot(model: model.number, slot: attribute.slot)
        guard let planned = conversions.first(where: { $0.place == place }) else { return false }
        var writer = RowPayloadWriter(capacity: 64)
        return (try? planned.append(of: row, to: &writer)) == true
    }

    static func headMoved(from expected: Position, to actual: Position) -> StoreError {
        StoreError(
            .revisionConflict,
            "The head of the log is \(actual) and not \(expected): somebody has written since.",
            advice: "Look at what has been written, and roll back again if it may go.",
            cause: .headMoved(expected: expected, actual: actual)
        )
    }
}
