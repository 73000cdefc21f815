internal import RepriseLMDB
internal import RepriseLog

/// Unique indexes.
extension Workspace {
    /// Throws when another entity already has the values of one of the model's unique indexes (QRY-27).
    ///
    /// Long strings are cut in index keys, so entries that look alike are compared with the row itself.
    func checkUnique(_ model: CompiledModel, key: UnsafeRawBufferPointer, payload: RowPayload)
        throws
    {
        // Older code writes rows that lack what has a default (STO-88).
        let payload = unsafe payload.with(model.defaults)
        for index in model.uniqueIndexes {
            guard let claim = try UniqueClaim(index, payload) else { continue }
            let holder = try unsafe holder(of: claim, model, index, payload, except: key)
            if let holder { throw Self.violation(model, index, holder: holder) }
        }
    }

    /// As ``checkUnique(_:key:payload:)``, for a row that was folded and not written by a program: others among the
    /// changes in memory and in the tables may have the same values.
    ///
    /// - Parameter claims: the values of the folded rows that were looked at before, with the keys of those.
    func checkFoldedUnique(
        _ model: CompiledModel,
        key: UnsafeRawBufferPointer,
        payload: RowPayload,
        _ claims: inout [[UInt8]: [UInt8]]
    ) throws {
        let payload = unsafe payload.with(model.defaults)
        for index in model.uniqueIndexes {
            guard let claim = try UniqueClaim(index, payload) else { continue }
            let id = unsafe [UInt8](key.dropFirst(2))
            let other = claims.updateValue(id, forKey: claim.bytes)
            let holder = try unsafe other
                ?? storedHolder(in: model, index, claim, payload: payload, except: key)
            if let holder { throw Self.violation(model, index, holder: holder) }
        }
    }

    /// The identifier of another entity that has the values of a unique index.
    ///
    /// - Parameters:
    ///   - payload: the row that `claim` is of.
    ///   - key: that of the row itself.
    func holder(
        of claim: UniqueClaim,
        _ model: CompiledModel,
        _ index: CompiledIndex,
        _ payload: RowPayload,
        except key: UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        if let holder = uniqueClaims[claim.bytes] {
            return unsafe holder.elementsEqual(key.dropFirst(2)) ? nil : holder
        }
        return try unsafe storedHolder(in: model, index, claim, payload: payload, except: key)
    }

    private func storedHolder(
        in model: CompiledModel,
        _ index: CompiledIndex,
        _ claim: UniqueClaim,
        payload: RowPayload,
        except key: UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        if let holder = try unsafe deferredHolder(in: model, index, claim, except: key) {
            return holder
        }
        var encoder = IndexKeyEncoder()
        _ = try unsafe encoder.encode(
            payload,
            index: index.description,
            types: index.types,
            id: UnsafeRawBufferPointer(start: nil, count: 0)
        )
        var cursor = try base.cursor(tables.index)
        var isThere = try unsafe cursor.seek(atOrAfter: encoder.bytes)
        var rowKey = KeyBuffer()
        while isThere, unsafe cursor.key.starts(with: encoder.bytes) {
            let id = unsafe UnsafeRawBufferPointer(rebasing: cursor.key[encoder.bytes.count...])
            unsafe rowKey.setRow(model: model.number, id: id)
            // The row as it is now: one that this transaction changed may claim something else than the table says.
            if unsafe !rowKey.bytes.hasSameBytes(as: key),
                let row = try unsafe self.row(rowKey.bytes),
                let other = try unsafe UniqueClaim(index, RowPayload(trusting: row.payload, model.defaults)),
                other.bytes == claim.bytes
            {
                return unsafe [UInt8](id)
            }
            isThere = try cursor.next()
        }
        return nil
    }

    /// The entity that has the values according to events that the views do not have yet.
    private func deferredHolder(
        in model: CompiledModel,
        _ index: CompiledIndex,
        _ claim: UniqueClaim,
        except key: UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        guard let id = try deferred?.holder(of: claim, in: base) else {
            return nil
        }
        let holder = EntityKey(model: model.number, id: id)
        if unsafe key.dropFirst(2).elementsEqual(id) { return nil }
        // It may have other values by now.
        guard let row = try self.row(holder) else { return nil }
        let present = try unsafe UniqueClaim(index, RowPayload(trusting: row.payload, model.defaults))
        return present?.bytes == claim.bytes ? id : nil
    }

    /// - Parameter other: the entity that was given the same values, where it is not the one that is written now.
    static func violation(
        _ model: CompiledModel,
        _ index: CompiledIndex,
        holder: [UInt8],
        other: [UInt8]? = nil
    ) -> StoreError {
        let existing = EntityReference(
            model: model.name,
            id: String(decoding: holder, as: UTF8.self)
        )
        let names = index.slots.map { model.attribute(slot: $0)?.name ?? "" }
        return StoreError(
            .uniqueViolation,
            "\(existing) already has this \(names.joined(separator: ", "))"
                + (other.map { ", which \(model.name) \"\(String(decoding: $0, as: UTF8.self))\" was given." } ?? "."),
            advice: "Choose another value, or change that one first.",
            cause: .uniqueViolation(attributes: names, existing: existing)
        )
    }
}
