/// Builds a row of an index's components from its key, so that filters and figures need not look at the table of rows
/// (Specs/format/keys.md).
struct IndexKeyReader: ~Copyable {
    private let types: [ValueType]
    private let slotCount: Int
    /// The component of each slot, -1 for slots that the index lacks.
    private let components: [Int]
    private var places: [Place]
    private var writer = RowPayloadWriter(capacity: 512)

    private struct Place {
        var start = 0
        var end = 0
        var isNil = false
    }

    init(_ index: CompiledIndex) {
        types = index.types
        slotCount = (index.slots.max() ?? 0) + 1
        var components = Array(repeating: -1, count: slotCount)
        for (component, slot) in index.slots.enumerated() { components[slot] = component }
        self.components = components
        places = Array(repeating: Place(), count: types.count)
    }

    /// The payload of a row that has the components in their slots; nil where the key does not say all: it was cut, or
    /// a number lost its sign or its bits (-0, NaN). Valid until the next call.
    mutating func payload(
        of key: UnsafeRawBufferPointer,
        _ entry: IndexEntry
    ) throws -> UnsafeRawBufferPointer? {
        guard !entry.wasCut else { return nil }
        let prefix = unsafe UnsafeRawBufferPointer(rebasing: key[..<entry.prefixByteCount])
        guard unsafe find(prefix) else {
            throw StoreError.damage("An index entry has a key that is not well formed.")
        }
        writer.removeAll()
        var row = writer.beginRow(slotCount: slotCount)
        for slot in 0..<slotCount {
            let component = components[slot]
            guard component >= 0, !places[component].isNil else {
                writer.skipSlot(&row)
                continue
            }
            let place = places[component]
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: prefix[place.start..<place.end])
            guard unsafe append(bytes, types[component]) else { return nil }
            writer.endSlot(&row)
        }
        try writer.endRow(row)
        return unsafe writer.bytes
    }

    /// Where the first component that was cut ends; nil where none was.
    mutating func endOfCut(_ key: UnsafeRawBufferPointer, _ entry: IndexEntry) -> Int? {
        guard entry.wasCut else { return nil }
        let prefix = unsafe UnsafeRawBufferPointer(rebasing: key[..<entry.prefixByteCount])
        guard unsafe find(prefix) else { return nil }
        for (place, type) in zip(places, types) where !place.isNil && type.isText {
            // A text ends with 00 00, one that was cut with 00 01.
            if place.end + 1 < prefix.count, unsafe prefix[place.end + 1] == 1 {
                return place.end + 2
            }
        }
        return nil
    }

    /// Finds where the components lie. Returns whether the key is well formed.
    private mutating func find(_ key: UnsafeRawBufferPointer) -> Bool {
        var offset = 2
        for component in types.indices {
            guard offset < key.count else { return false }
            let mark = unsafe key[offset]
            offset += 1
            places[component] = Place(start: offset, end: offset, isNil: mark == 0)
            if mark == 0 { continue }
            switch types[component] {
            case .bool: offset += 1
            case .int, .double, .date: offset += 8
            case .float: offset += 4
            case .uuid: offset += 16
            case .string, .data, .reference:
                while true {
                    guard offset + 1 < key.count else { return false }
                    if unsafe key[offset] != 0 {
                        offset += 1
                    } else if unsafe key[offset + 1] == 0xFF {
                        offset += 2
                    } else {
                        break
                    }
                }
                places[component].end = offset
                offset += 2
                continue
            case .decimal, .list, .set, .map, .embedded: return false
            }
            places[component].end = offset
        }
        return offset <= key.count
    }

    /// Appends a component as the bytes of a slot. Returns false where it does not say all of the value.
    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) -> Bool {
        switch type {
        case .int:
            guard let bits = unsafe bytes.bigEndianBits else { return false }
            writer.append(Int64(bitPattern: bits ^ 1 << 63))
        case .double, .date:
            guard let bits = unsafe bytes.bigEndianBits, bits != .max, bits != 1 << 63 else {
                return false
            }
            writer.append(bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
        case .float:
            guard bytes.count == 4 else { return false }
            let bits = unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
            guard bits != .max, bits != 1 << 31 else { return false }
            writer.append(bits >> 31 == 1 ? bits & ~(1 << 31) : ~bits)
        case .string, .data: unsafe append(unescaping: bytes)
        case .reference:
            // The place in the list on the other side is no part of the key, and of no question.
            writer.append(0 as UInt64)
            unsafe append(unescaping: bytes)
        default: unsafe writer.append(bytes: bytes)
        }
        return true
    }

    private mutating func append(unescaping bytes: UnsafeRawBufferPointer) {
        var start = 0
        for index in bytes.indices where unsafe bytes[index] == 0 && index >= start {
            unsafe writer.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[start...index]))
            start = index + 2
        }
        if start < bytes.count {
            unsafe writer.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bigEndianBits: UInt64? {
        guard count == 8 else { return nil }
        return unsafe UInt64(bigEndian: loadUnaligned(as: UInt64.self))
    }
}

extension ValueType {
    /// Whether an index component of this type is escaped and ended, and may be cut.
    fileprivate var isText: Bool {
        switch self {
        case .string, .data, .reference: true
        default: false
        }
    }
}
