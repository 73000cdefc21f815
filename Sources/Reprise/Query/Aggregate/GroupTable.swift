internal import RepriseLog

/// Numbers byte strings in the order in which they are met: an open-addressing table without an allocation for each.
final class GroupTable {
    @safe
    private struct GroupKey {
        let bytes: UnsafeRawBufferPointer
        let hash: UInt64
    }

    private let arena = Arena()
    private var keys: [GroupKey] = []
    private var slots: [Int32] = Array(repeating: -1, count: 64)
    /// Rows that follow one another are often of the same group.
    private var last = -1

    var count: Int { keys.count }

    /// The bytes of a group.
    subscript(group: Int) -> UnsafeRawBufferPointer { unsafe keys[group].bytes }

    /// The number of the group with these bytes, and whether it is new. O(bytes).
    @inline(__always)
    func place(of bytes: UnsafeRawBufferPointer) -> (group: Int, isNew: Bool) {
        if last >= 0, unsafe keys[last].bytes.hasSameBytes(as: bytes) { return (last, false) }
        return unsafe find(bytes)
    }

    private func find(_ bytes: UnsafeRawBufferPointer) -> (group: Int, isNew: Bool) {
        let hash = unsafe XXH64.hash(bytes, seed: 0)
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place] >= 0 {
            let group = Int(slots[place])
            if keys[group].hash == hash, unsafe keys[group].bytes.hasSameBytes(as: bytes) {
                last = group
                return (group, false)
            }
            place = (place + 1) & mask
        }
        let copy = unsafe UnsafeRawBufferPointer(start: arena.copy(bytes), count: bytes.count)
        last = keys.count
        unsafe keys.append(GroupKey(bytes: copy, hash: hash))
        slots[place] = Int32(last)
        if keys.count * 2 > slots.count { grow() }
        return (last, true)
    }

    private func grow() {
        slots = Array(repeating: -1, count: slots.count * 2)
        let mask = slots.count - 1
        for (group, key) in keys.enumerated() {
            var place = Int(truncatingIfNeeded: key.hash) & mask
            while slots[place] >= 0 { place = (place + 1) & mask }
            slots[place] = Int32(group)
        }
    }
}

/// Brings the bytes of a field into one form for all values that are equal: `-0` is `0`, and there is one NaN (QRY-03,
/// QRY-04).
struct CanonicalBytes {
    private let isDouble: Bool

    init(_ type: ValueType) {
        isDouble = type == .double || type == .date || type == .float
    }

    @inline(__always)
    func withBytes<R>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        guard isDouble, let value = unsafe bytes.storedDouble, value == 0 || value.isNaN else {
            return try unsafe body(bytes)
        }
        if bytes.count == 4 {
            let bits = (value == 0 ? 0 : Float.nan).bitPattern.littleEndian
            return try unsafe withUnsafeBytes(of: bits) { try unsafe body($0) }
        }
        let bits = (value == 0 ? 0 : Double.nan).bitPattern.littleEndian
        return try unsafe withUnsafeBytes(of: bits) { try unsafe body($0) }
    }
}
