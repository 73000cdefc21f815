/// What the schema demands of rows that a rollback brings back from before it was changed (STO-86).
struct ReturningRows: Sendable {
    let schema: CompiledSchema
    /// The functions of the program that are called for the rows afterwards; nil where a tool rolls back that has
    /// none, and a program calls them later.
    let conversions: [PlannedConversion]?

    /// Throws `invalidValue` where a row lacks a value that is required, and no function makes it.
    func requireValues(of payload: RowPayload, _ model: CompiledModel, _ key: UnsafeRawBufferPointer) throws {
        let missing = model.description.attributes.first { attribute in
            if unsafe attribute.isOptional || payload.slot(attribute.slot) != nil { return false }
            return !isMade(attribute, of: model, payload)
        }
        guard let missing else { return }
        let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
        throw StoreError(
            .invalidValue,
            "\(EntityReference(model: model.name, id: id)) had no \(missing.name) then, which is required now.",
            advice: "Make it optional before going back. Nothing was changed."
        )
    }

    /// A row as it is compared with others in attributes that may occur once: with what functions make of it.
    ///
    /// - Parameter scratch: where the row is written that functions change.
    /// - Throws: `valueTooLarge` where no event can tell that change.
    func converted(
        _ payload: RowPayload,
        _ model: CompiledModel,
        _ key: UnsafeRawBufferPointer,
        in scratch: inout RowPayloadWriter
    ) throws -> RowPayload {
        guard let values = made(of: payload, model) else { return payload }
        let old = unsafe payload.with(nil)
        return try unsafe WriteSession.rewrite(old, key, of: model, to: values, in: &scratch)?.payload ?? payload
    }

    /// What functions make of a row in attributes that may occur once; nil where they make nothing.
    private func made(of row: RowPayload, _ model: CompiledModel) -> SlotValues? {
        let own = (conversions ?? []).filter { $0.model == model.number }.sorted { $0.slot < $1.slot }
        if own.isEmpty || model.uniqueIndexes.isEmpty { return nil }
        var values = SlotValues()
        for planned in own where unsafe row.slot(planned.slot) == nil {
            guard let bytes = planned.bytes(of: row) else { continue }
            unsafe bytes.withUnsafeBytes { unsafe values.add($0, for: planned.slot) }
        }
        return values.isEmpty ? nil : values
    }

    /// Whether a function makes the value that a row lacks, or may make it later.
    private func isMade(_ attribute: AttributeDescription, of model: CompiledModel, _ row: RowPayload) -> Bool {
        if attribute.origins.isEmpty { return false }
        guard let conversions else { return true }
        let place = ConvertedSlot(model: model.number, slot: attribute.slot)
        guard let planned = conversions.first(where: { $0.place == place }) else { return false }
        var writer = RowPayloadWriter(capacity: 64)
        return (try? planned.append(of: row, to: &writer)) == true
    }
}
