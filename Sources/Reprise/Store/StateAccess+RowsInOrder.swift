/// How a row stands to values that somebody has for it.
public struct RowStanding: Sendable, Hashable {
    /// The position of the event that inserted the entity.
    public let created: Position
    /// The entity's revision.
    public let revision: Revision
    /// Whether the row has the same values, bit for bit.
    public let isSame: Bool
}

extension StateReading where Self: ~Copyable {
    /// Compares an entity with values in the order of the model's attributes; nil when there is no entity.
    ///
    /// - Parameter values: one for each attribute of the model's description; nil is not compared.
    /// - Throws: ``StoreError``; `invalidValue` where a value is of another type than its attribute.
    /// - Complexity: O(log n + bytes of the row).
    public func standing(
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
                    RowPayload(trusting: row.payload),
                    RowPayload(trusting: access.workspace.scratch.bytes)
                )
            )
        }
    }

    /// What forbids a row that ``WriteTransaction/put(_:inOrder:expecting:)`` is to write, as things stand: nil where
    /// it would be written. Whether its references lead anywhere is not asked (STO-47).
    ///
    /// - Parameter values: one for each attribute of the model's description; nil keeps what is there.
    /// - Returns: an error with the code `invalidIdentifier`, `invalidValue`, `valueTooLarge` or `uniqueViolation`.
    /// - Throws: ``StoreError`` where the store cannot be read or has no such model.
    /// - Complexity: O(log n + bytes of the row).
    public func refusal(
        of reference: EntityReference,
        inOrder values: [Value?]
    ) throws -> StoreError? {
        try access.run {
            let model = try access.model(named: reference.model)
            do {
                let old = try access.row(model, reference.id)
                try access.encode(values, over: old, model, reference.id)
                let key = KeyCell()
                try unsafe access.workspace.checkUnique(
                    model,
                    key: key.row(model, reference.id),
                    payload: RowPayload(trusting: access.workspace.scratch.bytes)
                )
                return nil
            } catch let error as StoreError where Self.refusals.contains(error.code) {
                return error
            }
        }
    }

    /// The position of the event that inserted an entity and its revision, by names; nil when there is none. O(log n).
    public func revision(
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
        let attributes = model.attributesInOrder
        guard values.count == attributes.count else {
            throw StoreError(
                .invalidValue,
                "\(model.name) \"\(id)\" has \(values.count) values for \(attributes.count) attributes.",
                advice: "Give one for each, in the order of the model's description."
            )
        }
        let payload = try old.map { try unsafe RowPayload(trusting: $0.payload) }
        var row = workspace.scratch.beginEmptyRow(slotCount: model.description.slotCount)
        for place in model.placesOfSlots {
            guard let place else {
                workspace.scratch.skipSlot(&row)
                continue
            }
            let attribute = attributes[place]
            guard let value = values[place] else {
                if let kept = unsafe payload?.slot(attribute.slot) {
                    unsafe workspace.scratch.append(bytes: kept)
                    workspace.scratch.endSlot(&row)
                } else {
                    try encode(.null, attribute, in: &row, model, id)
                }
                continue
            }
            try encode(value, attribute, in: &row, model, id)
        }
        do throws(ValueError) {
            try workspace.scratch.endRow(row)
        } catch {
            throw StoreError(
                .valueTooLarge,
                "\(model.name) \"\(id)\" cannot be stored: \(error)",
                advice: "Store less in one entity."
            )
        }
    }

    private func encode(
        _ value: Value,
        _ attribute: CompiledAttribute,
        in row: inout RowPayloadWriter.Row,
        _ model: CompiledModel,
        _ id: String
    ) throws(StoreError) {
        do throws(ValueError) {
            let fitting =
                value.isScalar(of: attribute.type) ? value : value.converted(to: attribute.type)
            try (fitting ?? value)
                .writeSlot(
                    to: &workspace.scratch,
                    in: &row,
                    as: attribute.type,
                    isOptional: attribute.isOptional,
                    name: attribute.name
                )
        } catch {
            if error.code == .missingValue, value.isNull {
                throw StoreError(
                    .invalidValue,
                    "\(model.name) \"\(id)\" needs a value for \"\(attribute.name)\".",
                    advice: "Give it one of type \(attribute.type.displayName)."
                )
            }
            throw StoreError(
                .invalidValue,
                "\"\(attribute.name)\" of \(model.name) is of type \(attribute.type.displayName) and cannot "
                    + "be \(value.kindName): \(error)",
                advice: "Give a value of that type."
            )
        }
    }
}

extension Value {
    /// Whether this is a value of a scalar type, so that nothing has to be converted.
    fileprivate func isScalar(of type: ValueType) -> Bool {
        switch (self, type) {
        case (.string, .string), (.int, .int), (.bool, .bool), (.double, .double), (.date, .date),
            (.reference, .reference), (.null, _):
            true
        default: false
        }
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

extension RowPayloadWriter {
    /// Forgets what was written and begins a row.
    mutating func beginEmptyRow(slotCount: Int) -> Row {
        removeAll()
        return beginRow(slotCount: slotCount)
    }
}
