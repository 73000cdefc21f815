/// Giving several slots of a row new values at once.
extension WriteSession {
    /// Gives some slots of a row new bytes, none of which is a reference.
    ///
    /// - Parameters:
    ///   - found: what ``Workspace/find(_:)`` said of the row just now; it is there.
    ///   - checksUnique: whether unique indexes have their entries already.
    func setSlots(
        _ key: UnsafeRawBufferPointer,
        _ found: Workspace.Found,
        of model: CompiledModel,
        to values: SlotValues,
        checksUnique: Bool
    ) throws {
        guard let row = found.row,
            let (payload, changes) = try unsafe rewrite(row, key, of: model, to: values)
        else { return }
        if checksUnique { try unsafe claimUnique(model, key: key, payload: payload) }
        _ = try unsafe recordUpdate(
            key,
            found: found,
            row: row,
            changes: changes,
            payload: payload.bytes,
            cause: 0
        )
    }

    /// Writes a row into the scratch space with new bytes in some slots, none of which is a reference.
    ///
    /// - Returns: the row there, and how it differs; nil where it does not.
    /// - Throws: `valueTooLarge`.
    func rewrite(
        _ row: RowView,
        _ key: UnsafeRawBufferPointer,
        of model: CompiledModel,
        to values: SlotValues
    ) throws -> (payload: RowPayload, changes: [SlotChanges.SlotChange])? {
        let old = try unsafe RowPayload(trusting: row.payload)
        return try unsafe Self.rewrite(old, key, of: model, to: values, in: &workspace.scratch)
    }

    /// The same in another scratch space, which the row that is returned must not outlive.
    ///
    /// - Parameter old: the row without defaults.
    static func rewrite(
        _ old: RowPayload,
        _ key: UnsafeRawBufferPointer,
        of model: CompiledModel,
        to values: SlotValues,
        in scratch: inout RowPayloadWriter
    ) throws -> (payload: RowPayload, changes: [SlotChanges.SlotChange])? {
        func tooLarge() -> StoreError {
            let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
            return StoreError.updateTooLarge(EntityReference(model: model.name, id: id))
        }
        do {
            try unsafe values.bytes.withUnsafeBytes { bytes in
                unsafe try scratch.rewrite(old, slotCount: model.slots.count) { slot throws(ValueError) in
                    guard let range = values.range(of: slot) else { return unsafe .keep }
                    return unsafe .replace(UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
            }
        } catch let error as ValueError where error.code == .tooLarge {
            throw tooLarge()
        }
        let payload = try unsafe RowPayload(trusting: scratch.bytes)
        var changes: [SlotChanges.SlotChange] = []
        for slot in values.slots {
            let (from, to) = unsafe (old.slot(slot), payload.slot(slot))
            if let from = unsafe from, let to = unsafe to, unsafe from.hasSameBytes(as: to) { continue }
            unsafe changes.append(SlotChanges.SlotChange(slot: slot, from: from, to: to))
        }
        if changes.isEmpty { return nil }
        guard hasRoom(forUpdating: old, to: payload) else { throw tooLarge() }
        return (payload, changes)
    }
}
