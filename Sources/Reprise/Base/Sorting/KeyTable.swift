internal import RepriseLog

/// A map from byte strings to numbers that takes little memory: about forty bytes for a key of twenty.
///
/// Open addressing over records in memory that never moves, without an allocation or a reference count per entry.
/// Nothing is ever removed.
@safe
struct KeyTable: ~Copyable {
    /// A record is the number, the count of the key's bytes, and the key; it begins at a multiple of eight bytes.
    private static let headerByteCount = 12
    private static let chunkByteCount = 1 << 20
    private static let unitsPerChunk = chunkByteCount / 8

    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    /// Where the next record begins, in units of eight bytes over all chunks.
    private var end = 0
    /// Half of the key's hash above, and where the record begins, plus one, below; 0 is a free slot.
    private var slots: [UInt64] = []
    private(set) var count = 0

    deinit {
        unsafe chunks.forEach { unsafe Chunk.free($0, byteCount: Self.chunkByteCount) }
    }

    var byteCount: Int {
        unsafe chunks.count * Self.chunkByteCount + slots.count * MemoryLayout<UInt64>.stride
    }

    /// The number of `key`. O(1).
    func find(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard !slots.isEmpty else { return nil }
        return unsafe find(key, hash: XXH64.hash(key, seed: 0))
    }

    /// As ``find(_:)``, for who knows the hash of the key's bytes (XXH64 with the seed 0).
    func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> UInt64? {
        guard !slots.isEmpty else { return nil }
        let slot = slots[unsafe place(of: key, hash: hash)]
        return unsafe slot == 0 ? nil : record(slot).load(as: UInt64.self)
    }

    /// Gives `key` a number, whatever it had before.
    mutating func set(_ key: UnsafeRawBufferPointer, to number: UInt64) {
        unsafe set(key, hash: XXH64.hash(key, seed: 0), to: number)
    }

    /// As ``set(_:to:)``, for who knows the hash of the key's bytes (XXH64 with the seed 0).
    mutating func set(_ key: UnsafeRawBufferPointer, hash: UInt64, to number: UInt64) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let place = unsafe place(of: key, hash: hash)
        if slots[place] == 0 { slots[place] = unsafe Self.tag(hash) | UInt64(add(key)) }
        unsafe record(slots[place]).storeBytes(of: number, as: UInt64.self)
    }

    /// Looks at where a key with this hash would be. One by one, each place is waited for; looked at in a row, they are
    /// fetched at the same time.
    ///
    /// - Returns: something of what was seen, to be kept so that looking is not left out.
    func look(_ hash: UInt64) -> UInt64 {
        slots.isEmpty ? 0 : slots[Int(hash >> 32) & (slots.count - 1)]
    }

    private mutating func add(_ key: UnsafeRawBufferPointer) -> UInt32 {
        let unitCount = (Self.headerByteCount + key.count + 7) / 8
        precondition(unitCount <= Self.unitsPerChunk, "Keys are short.")
        let room = unsafe chunks.count * Self.unitsPerChunk
        if end + unitCount > room {
            end = room
            unsafe chunks.append(Chunk.allocate(byteCount: Self.chunkByteCount))
        }
        let slot = UInt32(end + 1)
        let record = unsafe record(UInt64(slot))
        unsafe record.storeBytes(of: UInt32(key.count), toByteOffset: 8, as: UInt32.self)
        if let source = key.baseAddress {
            unsafe (record + Self.headerByteCount).copyMemory(from: source, byteCount: key.count)
        }
        end += unitCount
        count += 1
        return slot
    }

    private static func tag(_ hash: UInt64) -> UInt64 { hash & 0xFFFF_FFFF_0000_0000 }

    private func record(_ slot: UInt64) -> UnsafeMutableRawPointer {
        let unit = Int(slot & 0xFFFF_FFFF) - 1
        return unsafe chunks[unit / Self.unitsPerChunk] + unit % Self.unitsPerChunk * 8
    }

    private func key(_ slot: UInt64) -> UnsafeRawBufferPointer {
        let record = unsafe record(slot)
        return unsafe UnsafeRawBufferPointer(
            start: record + Self.headerByteCount,
            count: Int(record.load(fromByteOffset: 8, as: UInt32.self))
        )
    }

    /// Where `key` is, or where it belongs.
    private func place(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
        let mask = slots.count - 1
        let tag = Self.tag(hash)
        var place = Int(hash >> 32) & mask
        while slots[place] != 0 {
            if Self.tag(slots[place]) == tag, unsafe self.key(slots[place]).hasSameBytes(as: key) {
                return place
            }
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = slots
        let mask = max(64, old.count * 2) - 1
        slots = Array(repeating: 0, count: mask + 1)
        for slot in old where slot != 0 {
            var place = Int(slot >> 32) & mask
            while slots[place] != 0 { place = (place + 1) & mask }
            slots[place] = slot
        }
    }
}
