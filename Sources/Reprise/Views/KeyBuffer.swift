/// A table key being put together: at most 511 bytes, in place, used again and again.
///
/// Layouts are in Specs/format/views.md. Identifiers inside a key are escaped (00 becomes 00 FF) and ended by 00 00, so
/// that no identifier's key is a prefix of another's.
@safe
struct KeyBuffer: ~Copyable {
    private let base: UnsafeMutableRawPointer
    private(set) var count = 0

    /// Larger than LMDB's limit. What does not fit is cut: the key is then one that no table has, and that LMDB refuses
    /// to put.
    private static let capacity = 2048

    init() {
        unsafe base = .allocate(byteCount: Self.capacity, alignment: 8)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
        guard count + MemoryLayout<T>.size <= Self.capacity else { return }
        unsafe (base + count).storeBytes(of: value.bigEndian, as: T.self)
        count += MemoryLayout<T>.size
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        // Left out altogether, an identifier that is too long would name the entity whose identifier is empty.
        let fitting = min(bytes.count, Self.capacity - count)
        unsafe (base + count).copyMemory(from: source, byteCount: fitting)
        count += fitting
    }

    mutating func append(escaped id: [UInt8]) {
        unsafe id.withUnsafeBytes { unsafe append(escaped: $0) }
    }

    mutating func append(escaped id: UnsafeRawBufferPointer) {
        if unsafe id.contains(0) {
            for index in 0..<id.count {
                let byte = unsafe id[index]
                append(bigEndian: byte)
                if byte == 0 { append(bigEndian: 0xFF as UInt8) }
            }
        } else {
            // As nearly always.
            unsafe append(id)
        }
        append(bigEndian: 0 as UInt16)
    }

    /// Key of one entry of a list.
    mutating func setEdge(relation: UInt16, owner: UnsafeRawBufferPointer, orderKey: UInt64) {
        removeAll()
        append(bigEndian: relation)
        unsafe append(escaped: owner)
        append(bigEndian: orderKey)
    }

    /// Key of a row: model number and raw identifier.
    mutating func setRow(model: UInt16, id: UnsafeRawBufferPointer) {
        removeAll()
        append(bigEndian: model)
        unsafe append(id)
    }

    mutating func setRow(_ key: EntityKey) {
        removeAll()
        append(bigEndian: key.model)
        unsafe key.id.withUnsafeBytes { unsafe append($0) }
    }

    /// Model number and escaped identifier: no key that tells of another entity begins so.
    mutating func setEntity(model: UInt16, id: UnsafeRawBufferPointer) {
        removeAll()
        append(bigEndian: model)
        unsafe append(escaped: id)
    }

    mutating func setEntity(_ key: EntityKey) {
        unsafe key.id.withUnsafeBytes { unsafe setEntity(model: key.model, id: $0) }
    }

    /// What all entries of a list have in common.
    mutating func setList(_ list: ListKey) {
        removeAll()
        append(bigEndian: list.relation)
        append(escaped: list.id)
    }

    /// Key of one entry of a list.
    mutating func setEdge(_ list: ListKey, orderKey: UInt64) {
        setList(list)
        append(bigEndian: orderKey)
    }

    /// Key of the way back from a target to an entry of an owner's list.
    mutating func setBacklink(_ target: ListKey, _ backlink: Backlink) {
        setList(target)
        append(escaped: backlink.owner)
        append(bigEndian: backlink.orderKey)
    }
}

/// The way back from the target of a list entry to its owner.
struct Backlink: Hashable {
    let owner: [UInt8]
    let orderKey: UInt64

    func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: owner)
        hasher.combine(orderKey)
    }
}

/// Takes escaped identifiers and numbers from a key, from the front.
@safe
struct KeyParser {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, skipping offset: Int) {
        unsafe self.bytes = bytes
        self.offset = offset
    }

    mutating func identifier() throws(StoreError) -> [UInt8] {
        // Hardly any identifier has an escaped byte, and one that has none is copied at once.
        var end = offset
        while unsafe end < bytes.count, unsafe bytes[end] != 0 { end += 1 }
        var id = unsafe [UInt8](bytes[offset..<end])
        offset = end
        while unsafe offset + 1 < bytes.count {
            let byte = unsafe bytes[offset]
            if byte != 0 {
                id.append(byte)
                offset += 1
                continue
            }
            let next = unsafe bytes[offset + 1]
            offset += 2
            if next == 0 { return id }
            id.append(0)
        }
        throw .damage("A list entry has a key that is not well formed.")
    }

    mutating func number() throws(StoreError) -> UInt64 {
        guard unsafe offset + 8 <= bytes.count else {
            throw .damage("A list entry has a key that is too short.")
        }
        defer { offset += 8 }
        return unsafe UInt64(
            bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        )
    }
}
