internal import RepriseLog

/// A map from byte strings to numbers that takes little memory: about fifty bytes for a key of twenty.
///
/// Open addressing over records in an arena, without an allocation or a reference count per entry. Nothing is ever
/// removed.
@safe
struct KeyTable: ~Copyable {
    @safe
    private struct Slot {
        var record: UnsafeMutableRawPointer?
        var hash: UInt64 = 0
    }

    /// A record is the number, the count of the key's bytes, and the key.
    private static let headerByteCount = 12

    private let arena = Arena()
    private var slots: [Slot] = []
    private(set) var count = 0

    var byteCount: Int { arena.byteCount + slots.count * MemoryLayout<Slot>.stride }

    /// The number of `key`. O(1).
    func find(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard !slots.isEmpty else { return nil }
        let place = unsafe place(of: key, hash: XXH64.hash(key, seed: 0))
        return unsafe slots[place].record?.load(as: UInt64.self)
    }

    /// Gives `key` a number, whatever it had before.
    mutating func set(_ key: UnsafeRawBufferPointer, to number: UInt64) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let hash = unsafe XXH64.hash(key, seed: 0)
        let place = unsafe place(of: key, hash: hash)
        if let record = unsafe slots[place].record {
            unsafe record.storeBytes(of: number, as: UInt64.self)
            return
        }
        let record = unsafe arena.allocate(Self.headerByteCount + key.count)
        unsafe record.storeBytes(of: number, as: UInt64.self)
        unsafe record.storeBytes(of: UInt32(key.count), toByteOffset: 8, as: UInt32.self)
        if let source = key.baseAddress {
            unsafe (record + Self.headerByteCount).copyMemory(from: source, byteCount: key.count)
        }
        unsafe slots[place] = Slot(record: record, hash: hash)
        count += 1
    }

    /// Where `key` is, or where it belongs.
    private func place(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while let record = unsafe slots[place].record {
            if slots[place].hash == hash, unsafe self.key(of: record).hasSameBytes(as: key) {
                return place
            }
            place = (place + 1) & mask
        }
        return place
    }

    private func key(of record: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: record + Self.headerByteCount,
            count: Int(record.load(fromByteOffset: 8, as: UInt32.self))
        )
    }

    private mutating func grow() {
        let old = slots
        let capacity = max(64, slots.count * 2)
        slots = Array(repeating: Slot(), count: capacity)
        for index in old.indices where unsafe old[index].record != nil {
            var place = Int(truncatingIfNeeded: old[index].hash) & (capacity - 1)
            while unsafe slots[place].record != nil { place = (place + 1) & (capacity - 1) }
            slots[place] = old[index]
        }
    }
}
