/// How a row stands to values that somebody has for it.
package struct RowStanding: Sendable, Hashable {
    /// The position of the event that inserted the entity.
    package let created: Position
    /// The entity's revision.
    package let revision: Revision
    /// Whether the row has the same values, bit for bit.
    package let isSame: Bool
}

extension StateReading where Self: ~Copyable {
    /// Compares an entity with values in the order of the model's attributes; nil when there is no entity.
    ///
    /// - Parameter values: one for each attribute of the model's description; nil is not compared.
    /// - Throws: ``StoreError``; `invalidValue` where a value is of another type than its attribute.
    /// - Complexity: O(log n + bytes of the row).
    package func standing(
        of reference: EntityReference,
        inOrder values: [Value?]
    ) throws -> RowStanding? {
        try access.run {
            let model = try access.model(named: reference.model)
            guard let row = try access.row(model, reference.id) else { return nil }
            try access.encode(values, over: row, model, reference.id)
            return RowStanding(
                created: Position(row.created),
                revision: Revision(position: Position(row.revision)),
                isSame: try unsafe model.hasSameValues(
                    RowPayload(trusting: row.payload, model.defaults),
                    RowPayload(trusting: access.workspace.scratch.bytes)
                )
            )
        }
    }

    /// What forbids a row that ``WriteTransaction/put(_:inOrder:expecting:)`` is to write, as things stand: nil where
    /// it would be written. Whether its references lead anywhere is not asked (STO-47).
    ///
    /// - Parameter values: one for each attribute of the model's description; nil keeps what is there.
    /// - Returns: an error with the code `invalidIdentifier`, `invalidValue` (with the cause `partnerNeeded` where it
    ///   would take a partner away from a row that must have one), `valueTooLarge` or `uniqueViolation`.
    /// - Throws: ``StoreError`` where the store cannot be read or has no such model.
    /// - Complexity: O(log n + bytes of the row).
    package func refusal(
        of reference: EntityReference,
        inOrder values: [Value?]
    ) throws -> StoreError? {
        try access.run {
            let model = try access.model(named: reference.model)
            do {
                let old = try access.row(model, reference.id)
                if old == nil, reference.id.isEmpty { return .emptyIdentifier(model.name) }
                try access.encode(values, over: old, model, reference.id)
                let key = KeyCell()
                let payload = try unsafe RowPayload(trusting: access.workspace.scratch.bytes)
                let before = try old.map { try unsafe RowPayload(trusting: $0.payload) }
                if let before, !WriteSession.hasRoom(forUpdating: before, to: payload) {
                    return StoreError.updateTooLarge(reference)
                }
                try unsafe access.workspace.checkUnique(
                    model,
                    key: key.row(model, reference.id),
                    payload: payload
                )
                return try access.workspace.partnerRefusal(
                    of: EntityKey(model: model.number, id: reference.id),
                    model,
                    from: before,
                    to: payload
                )
            } catch let error as StoreError where Self.refusals.contains(error.code) {
                return error
            }
        }
    }

    /// The position of the event that inserted an entity and its revision, by names; nil when there is none. O(log n).
    package func revision(
        of reference: EntityReference
    ) throws -> (created: Position, revision: Revision)? {
        try access.run {
            let model = try access.model(named: reference.model)
            return try access.row(model, reference.id).map {
                (Position($0.created), Revision(position: Position($0.revision)))
            }
        }
    }
}

extension StateReading where Self: ~Copyable {
    private static var refusals: Set<StoreError.Code> {
        [.invalidIdentifier, .invalidValue, .valueTooLarge, .uniqueViolation]
    }
}

extension StateAccess {
    /// Writes into the scratch space the row that `values` make of `old`.
    func encode(
        _ values: [Value?],
        over old: RowView?,
        _ model: CompiledModel,
        _ id: String
    ) throws {
        guard values.count == model.attributesInOrder.count else {
            throw StoreError(
                .invalidValue,
                "\(model.name) \"\(id)\" has \(values.count) values for \(model.attributesInOrder.count) attributes.",
                advice: "Give one for each, in the order of the model's description."
            )
        }
        // What has a default is written with it, in a new row as well (STO-88).
        let kept = try old.map { try unsafe RowPayload(trusting: $0.payload, model.defaults) }
        let row: RowPayloadWriter.Row
        do throws(SlotError) {
            // One access for all of them, for each is noted at run time.
            row = try workspace.scratch.writeSlots(values, over: kept, model)
        } catch {
            throw Self.invalidValue(values[error.place] ?? .null, error, model, id)
        }
        do throws(ValueError) {
            try workspace.scratch.endRow(row)
        } catch {
            throw Self.valueTooLarge(error, model, id)
        }
    }

    fileprivate static func valueTooLarge(_ error: ValueError, _ model: CompiledModel, _ id: String) -> StoreError {
        StoreError(
            .valueTooLarge,
            "\(model.name) \"\(id)\" cannot be stored: \(error)",
            advice: "Store less in one entity."
        )
    }

    fileprivate static func invalidValue(
        _ value: Value,
        _ error: SlotError,
        _ model: CompiledModel,
        _ id: String
    ) -> StoreError {
        let attribute = model.attributesInOrder[error.place]
        if error.reason.code == .missingValue, value.isNull {
            return StoreError(
                .invalidValue,
                "\(model.name) \"\(id)\" needs a value for \"\(attribute.name)\".",
                advice: "Give it one of type \(attribute.type.displayName)."
            )
        }
        return StoreError(
            .invalidValue,
            "\"\(attribute.name)\" of \(model.name) is of type \(attribute.type.displayName) and cannot "
                + "be \(value.kindName): \(error.reason)",
            advice: "Give a value of that type."
        )
    }
}

/// Which value of a row cannot be written, and why.
private struct SlotError: Error {
    let place: Int
    let reason: ValueError
}

extension RowPayloadWriter {
    /// Forgets what was written, begins a row and writes its slots: `values`, and what is kept where there is none.
    fileprivate mutating func writeSlots(
        _ values: [Value?],
        over kept: RowPayload?,
        _ model: CompiledModel,
        mayLack: Bool = false
    ) throws(SlotError) -> Row {
        removeAll()
        var row = beginRow(slotCount: model.slots.count)
        for number in model.slots.indices {
            guard let slot = model.slots[number] else {
                // That of an attribute that was removed keeps its value (STO-92).
                if let bytes = unsafe kept?.slot(number) {
                    unsafe append(bytes: bytes)
                    endSlot(&row)
                } else {
                    skipSlot(&row)
                }
                continue
            }
            do throws(ValueError) {
                if let value = values[slot.place] {
                    try write(value, slot, of: model, in: &row)
                } else if let bytes = unsafe kept?.slot(number) {
                    unsafe append(bytes: bytes)
                    endSlot(&row)
                } else if let bytes = unsafe model.defaults?.bytes(number) {
                    unsafe append(bytes: bytes)
                    endSlot(&row)
                } else if mayLack {
                    skipSlot(&row)
                } else {
                    try write(.null, slot, of: model, in: &row)
                }
            } catch {
                throw SlotError(place: slot.place, reason: error)
            }
        }
        return row
    }

    /// Forgets what was written and writes a row of values alone. One that is not given is the default, or missing,
    /// whatever the schema requires.
    mutating func writeRow(_ values: [Value?], of model: CompiledModel, _ id: String) throws(StoreError) {
        let row: Row
        do throws(SlotError) {
            row = try writeSlots(values, over: nil, model, mayLack: true)
        } catch {
            throw StateAccess.invalidValue(values[error.place] ?? .null, error, model, id)
        }
        do throws(ValueError) {
            try endRow(row)
        } catch {
            throw StateAccess.valueTooLarge(error, model, id)
        }
    }

    /// Writes a value into the current slot. Those that most rows consist of are written at once; others may have to
    /// be converted.
    private mutating func write(
        _ value: Value,
        _ slot: CompiledSlot,
        of model: CompiledModel,
        in row: inout Row
    ) throws(ValueError) {
        switch value {
        case .string(let text) where slot.scalar == .string: text.write(to: &self)
        case .int(let number) where slot.scalar == .int: number.write(to: &self)
        case .double(let number) where slot.scalar == .double: number.write(to: &self)
        case .bool(let flag) where slot.scalar == .bool: flag.write(to: &self)
        case .date(let date) where slot.scalar == .date: date.write(to: &self)
        case .null where slot.isOptional:
            skipSlot(&row)
            return
        default:
            let attribute = model.attributesInOrder[slot.place]
            try (value.converted(to: attribute.type) ?? value)
                .writeSlot(
                    to: &self,
                    in: &row,
                    as: attribute.type,
                    isOptional: attribute.isOptional,
                    name: attribute.name
                )
            return
        }
        endSlot(&row)
    }
}

extension CompiledModel {
    /// Whether two rows have the same values, order keys of references apart.
    fileprivate func hasSameValues(_ left: RowPayload, _ right: RowPayload) throws -> Bool {
        for slot in 0..<max(left.slotCount, right.slotCount) {
            guard let one = unsafe left.slot(slot), let other = unsafe right.slot(slot) else {
                if unsafe left.slot(slot) == nil, unsafe right.slot(slot) == nil { continue }
                return false
            }
            if unsafe one.hasSameBytes(as: other) { continue }
            guard referenceSlots.contains(where: { $0.slot == slot }),
                try unsafe ReferenceBytes(one).target.hasSameBytes(as: ReferenceBytes(other).target)
            else { return false }
        }
        return true
    }
}
