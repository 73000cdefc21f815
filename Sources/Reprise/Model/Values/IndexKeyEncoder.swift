#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Builds index keys into a buffer that is used again: index number, components, identifier.
///
/// No key is longer than 511 bytes: 2 for the number, at most `200 + 3 * components` for the
/// components, 240 for the identifier. See `Specs/format/keys.md`.
struct IndexKeyEncoder: ~Copyable {
    /// The escaped bytes of text that one index key may hold, shared by its components.
    static let contentByteCountMax = 200

    /// What a reader of the key must know.
    struct Outcome: Equatable {
        /// A component is nil: a unique index does not apply.
        var hasNil = false
        /// A component was cut: equal keys may stand for different values.
        var wasCut = false
        /// The bytes before the identifier: number and components.
        var prefixByteCount = 0
    }

    private var writer = RowPayloadWriter(capacity: 512)
    private var limit = IndexKeyEncoder.contentByteCountMax
    private var outcome = Outcome()

    init() {}

    /// The key built last; valid until the next call.
    var bytes: UnsafeRawBufferPointer { unsafe writer.bytes }

    /// Builds the key of one row.
    ///
    /// - Parameters:
    ///   - index: the number and the slots.
    ///   - types: the type of each of the index's slots, in its order.
    ///   - id: the row's identifier, already checked for its length.
    mutating func encode(
        _ payload: RowPayload,
        index: IndexDescription,
        types: [ValueType],
        id: UnsafeRawBufferPointer
    ) throws(ValueError) -> Outcome {
        begin(index: index.number, componentCount: index.slots.count)
        for position in index.slots.indices {
            unsafe try append(slot: payload.slot(index.slots[position]), as: types[position])
        }
        return unsafe end(id: id)
    }

    /// As above, without a copy of the index's description for each row.
    mutating func encode(
        _ payload: RowPayload,
        _ index: CompiledIndex,
        id: UnsafeRawBufferPointer
    ) throws(ValueError) -> Outcome {
        begin(index: index.number, componentCount: index.types.count)
        for position in 0..<index.types.count {
            let bytes = unsafe payload.slot(index.description.slots[position])
            unsafe try append(slot: bytes, as: index.types[position])
        }
        return unsafe end(id: id)
    }

    /// Ends a key with the identifier of its row.
    mutating func end(id: UnsafeRawBufferPointer) -> Outcome {
        outcome.prefixByteCount = unsafe writer.bytes.count
        unsafe writer.append(bytes: id)
        return outcome
    }

    /// Begins a key by hand, such as a bound of a range: only the number so far.
    mutating func begin(index: UInt16, componentCount: Int) {
        writer.removeAll()
        writer.append(bigEndian: index)
        limit = Self.contentByteCountMax / max(componentCount, 1)
        outcome = Outcome()
    }

    /// Appends a component from a dynamic value. Returns whether it was cut: then the exact bound
    /// lies within the keys that share this prefix. Throws `typeMismatch`.
    mutating func append(_ value: Value, as type: ValueType) throws(ValueError) -> Bool {
        outcome.wasCut = false
        if value.isNull {
            unsafe try append(slot: nil, as: type)
        } else {
            var slot = RowPayloadWriter(capacity: 64)
            try value.write(to: &slot, as: type)
            unsafe try append(slot: slot.bytes, as: type)
        }
        return outcome.wasCut
    }

    /// Appends an identifier as the end of a key.
    mutating func append(id: UnsafeRawBufferPointer) {
        unsafe writer.append(bytes: id)
    }

    /// Appends a component from the bytes of a slot. Throws when they are not of the type.
    mutating func append(
        slot bytes: UnsafeRawBufferPointer?,
        as type: ValueType
    ) throws(ValueError) {
        guard let bytes = unsafe bytes else {
            writer.append(0 as UInt8)
            outcome.hasNil = true
            return
        }
        writer.append(1 as UInt8)
        switch type {
        case .bool: writer.append(unsafe try Bool.read(bytes) ? 1 : 0 as UInt8)
        case .int:
            let value = unsafe Int64(try Int.read(bytes))
            writer.append(bigEndian: UInt64(bitPattern: value) ^ 1 << 63)
        case .double, .date:
            writer.append(bigEndian: UInt64(ordering: unsafe try Double.read(bytes)))
        case .float:
            writer.append(bigEndian: UInt32(ordering: unsafe try Float.read(bytes)))
        case .string, .data:
            unsafe appendContent(bytes)
        case .reference:
            guard bytes.count >= 8 else { throw ValueError(.wrongLength) }
            unsafe appendContent(UnsafeRawBufferPointer(rebasing: bytes[8...]))
        case .uuid:
            unsafe try require(16, bytes)
            unsafe writer.append(bytes: bytes)
        case .decimal:
            unsafe try DecimalParts(reading: bytes).writeKey(to: &writer)
        case .list, .set, .map, .embedded:
            throw ValueError(.typeMismatch)
        }
    }

    private mutating func appendContent(_ bytes: UnsafeRawBufferPointer) {
        if unsafe writer.append(escaping: bytes, limit: limit) { outcome.wasCut = true }
    }
}
