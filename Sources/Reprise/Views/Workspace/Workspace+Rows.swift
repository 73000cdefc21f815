internal import RepriseLMDB
internal import RepriseLog

/// Rows.
extension Workspace {
    /// What is known of the row under a key.
    struct Found {
        /// The row, if there is one.
        let row: RowView?
        /// Whether the views hold one, whatever the changes in memory say.
        let isInViews: Bool
        /// Where in the changes it is.
        let pending: Int?
    }

    /// Looks a row up. The views' row is checked against its checksum. O(log n).
    func find(_ key: UnsafeRawBufferPointer) throws -> Found {
        let hash = unsafe XXH64.hash(key, seed: 0)
        if let index = unsafe rows.index(of: key, hash: hash) {
            let record = rows[index]
            return Found(row: record.row, isInViews: record.isInViews, pending: index)
        }
        if let deferred {
            if let standing = unsafe deferred.standing(of: key, hash: hash) {
                return try unsafe recall(key, standing)
            }
            if unsafe !deferred.mayBeInViews(key) {
                return Found(row: nil, isInViews: false, pending: nil)
            }
        }
        guard let value = try unsafe base.get(tables.rows, key) else {
            return Found(row: nil, isInViews: false, pending: nil)
        }
        return unsafe Found(row: try RowView(key: key, value: value), isInViews: true, pending: nil)
    }

    func row(_ key: UnsafeRawBufferPointer) throws -> RowView? {
        try unsafe find(key).row
    }

    func row(_ key: EntityKey) throws -> RowView? {
        keyBuffer.setRow(key)
        return try unsafe row(keyBuffer.bytes)
    }

    /// Gives the row under `key` new content; `found` is what ``find(_:)`` said of it just now. Digest, counts,
    /// reference lists and unique claims follow.
    func put(
        _ key: UnsafeRawBufferPointer,
        over found: Found,
        created: UInt64,
        revision: UInt64,
        payload: UnsafeRawBufferPointer
    ) throws {
        let model = unsafe try schema.model(Self.modelNumber(of: key))
        let isHashedLater = found.row == nil && rowDigests != nil
        if let old = found.row {
            if unsafe !old.payload.hasSameBytes(as: payload) {
                unsafe removeFromDigest(RowView.digest(key: key, payload: old.payload))
                unsafe addToDigest(RowView.digest(key: key, payload: payload))
            }
        } else {
            if !isHashedLater {
                unsafe addToDigest(RowView.digest(key: key, payload: payload))
            }
            counts[Int(model.number) - 1] += 1
        }
        if !model.references.isEmpty || !model.uniqueIndexes.isEmpty {
            try unsafe follow(model, key: key, from: found.row?.payload, to: payload)
        }
        let copy = unsafe rows.put(
            key: key,
            isInViews: found.isInViews,
            created: created,
            revision: revision,
            payload: payload
        )
        if isHashedLater { unsafe rowDigests?.add(key: copy.key, payload: copy.payload) }
    }

    /// Removes the row under `key`, which `found` says is there. `tombstone` is the position of the deletion, or 0 when
    /// the entity shall be as if it had never been.
    func remove(_ key: UnsafeRawBufferPointer, found: Found, tombstone: UInt64) throws {
        guard let old = found.row else { return }
        let model = unsafe try schema.model(Self.modelNumber(of: key))
        unsafe removeFromDigest(RowView.digest(key: key, payload: old.payload))
        counts[Int(model.number) - 1] -= 1
        try unsafe follow(model, key: key, from: old.payload, to: nil)
        unsafe rows.delete(key: key, isInViews: found.isInViews, tombstone: tombstone)
    }

    /// Gives an existing row another revision and nothing else.
    func touch(_ key: EntityKey, revision: UInt64) throws {
        keyBuffer.setRow(key)
        let found = try unsafe find(keyBuffer.bytes)
        if let index = found.pending {
            if rows[index].isLive { rows.setRevision(revision, at: index) }
        } else if let row = found.row {
            unsafe rows.put(
                key: keyBuffer.bytes,
                isInViews: true,
                created: row.created,
                revision: revision,
                contentPosition: 0,
                payload: row.payload
            )
        }
    }

    /// Takes up again what an existing row was before changes in memory were forgotten. The digest knows it already.
    func remember(_ key: EntityKey, payload: [UInt8], revision: UInt64) throws {
        keyBuffer.setRow(key)
        let found = try unsafe find(keyBuffer.bytes)
        guard let row = found.row else { return }
        unsafe payload.withUnsafeBytes { payload in
            _ = unsafe rows.put(
                key: keyBuffer.bytes,
                isInViews: found.isInViews,
                created: row.created,
                revision: revision,
                payload: payload
            )
        }
    }

    /// Forgets all changes in memory but what the row of one entity is by now.
    func removeAll(but entity: EntityKey) throws {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe find(key.bytes)
        guard let row = found.row else { return removeAll() }
        let payload = unsafe [UInt8](row.payload)
        let (created, revision) = (row.created, row.revision)
        removeAll()
        unsafe payload.withUnsafeBytes { payload in
            _ = unsafe rows.put(
                key: key.bytes,
                isInViews: found.isInViews,
                created: created,
                revision: revision,
                payload: payload
            )
        }
    }

    /// The position of the entity's last event: of its row, or of its deletion, or 0.
    func lastPosition(of key: UnsafeRawBufferPointer, found: Found) throws -> UInt64 {
        if let row = found.row { return row.revision }
        if let index = found.pending { return rows[index].revision }
        if let standing = unsafe deferred?.standing(of: key) { return standing.revision }
        guard let value = try unsafe base.get(tables.tombstones, key) else { return 0 }
        guard value.count == 8 else { throw StoreError.damage("A tombstone has the wrong length.") }
        return unsafe UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
    }

    static func modelNumber(of key: UnsafeRawBufferPointer) -> UInt16 {
        unsafe UInt16(bigEndian: key.loadUnaligned(as: UInt16.self))
    }

    /// Keeps what is derived from a row: the lists on the other side of its references, and unique claims.
    private func follow(
        _ model: CompiledModel,
        key: UnsafeRawBufferPointer,
        from old: UnsafeRawBufferPointer?,
        to new: UnsafeRawBufferPointer?
    ) throws {
        let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
        let before = try unsafe old.map { try unsafe RowPayload(trusting: $0, model.defaults) }
        let after = try unsafe new.map { try unsafe RowPayload(trusting: $0, model.defaults) }
        for reference in model.references {
            let from = unsafe before?.slot(reference.slot)
            let to = unsafe after?.slot(reference.slot)
            if let from = unsafe from, let to = unsafe to, unsafe from.hasSameBytes(as: to) {
                continue
            }
            if let from = unsafe from {
                let place = try unsafe ReferenceBytes(from)
                unsafe removeEntry(
                    in: ListKey(relation: reference.relation.number, id: [UInt8](place.target)),
                    orderKey: place.orderKey
                )
            }
            if let to = unsafe to {
                let place = try unsafe ReferenceBytes(to)
                unsafe putEntry(
                    ListEntry(orderKey: place.orderKey, serial: 0, target: [UInt8](id)),
                    in: ListKey(relation: reference.relation.number, id: [UInt8](place.target))
                )
            }
        }
        for index in model.uniqueIndexes {
            if let before, let claim = try UniqueClaim(index, before) {
                if unsafe uniqueClaims[claim.bytes]?.elementsEqual(id) == true {
                    uniqueClaims[claim.bytes] = nil
                }
            }
            if let after, let claim = try UniqueClaim(index, after) {
                uniqueClaims[claim.bytes] = unsafe [UInt8](id)
            }
        }
    }
}

/// The bytes of a to-one slot: the place in the list on the other side, and the target's identifier.
@safe
struct ReferenceBytes {
    let orderKey: UInt64
    let target: UnsafeRawBufferPointer

    init(_ slot: UnsafeRawBufferPointer) throws(StoreError) {
        guard slot.count >= 8 else { throw .damage("A reference in a row is too short.") }
        orderKey = unsafe UInt64(littleEndian: slot.loadUnaligned(as: UInt64.self))
        unsafe target = UnsafeRawBufferPointer(rebasing: slot[8...])
    }
}

/// The values of a unique index in one row, uncut; there is none when one of them is nil.
struct UniqueClaim {
    let bytes: [UInt8]

    init?(_ index: CompiledIndex, _ payload: RowPayload) throws(ValueError) {
        var bytes: [UInt8] = [UInt8(index.number >> 8), UInt8(index.number & 0xFF)]
        for (slot, type) in zip(index.slots, index.types) {
            guard let value = unsafe payload.slot(slot) else { return nil }
            let canonical = try unsafe Self.canonical(value, type)
            unsafe withUnsafeBytes(of: UInt32(canonical.count)) {
                unsafe bytes.append(contentsOf: $0)
            }
            bytes.append(contentsOf: canonical)
        }
        self.bytes = bytes
    }

    /// The same bytes for all values that are equal in the index (REL-02): the place in a list is no part of a
    /// reference, `-0` is `0`, and there is one NaN.
    private static func canonical(
        _ value: UnsafeRawBufferPointer,
        _ type: ValueType
    ) throws(ValueError) -> [UInt8] {
        switch type {
        case .reference:
            guard value.count >= 8 else { throw ValueError(.wrongLength) }
            return unsafe [UInt8](value.dropFirst(8))
        case .double, .date:
            let number = try unsafe Double.read(value)
            if number == 0 { return [0] }
            return number.isNaN ? [1] : unsafe [UInt8](value)
        case .float:
            let number = try unsafe Float.read(value)
            if number == 0 { return [0] }
            return number.isNaN ? [1] : unsafe [UInt8](value)
        default: return unsafe [UInt8](value)
        }
    }
}
