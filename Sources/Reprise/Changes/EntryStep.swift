internal import RepriseLMDB
internal import RepriseLog

/// What one event does to one entry of a many-to-many list, on its way through a sort by entries.
struct EntryStep {
    let relation: UInt16
    let serial: UInt64
    let target: [UInt8]
    /// Where the entry stood; nil where it was not in the list.
    let from: UInt64?
    /// Where it stands then; nil where it is not in the list.
    let to: UInt64?
    /// Says which steps came before it and which after it.
    let number: UInt64
    /// Whether it stays: steps before it have no say in the entry any more.
    let isPassed: Bool
    /// Whether the state that the way begins with has it as well.
    let isKnown: Bool
}

extension EntryStep {
    /// How many bytes of its key tell of relation, serial and target. They come last. A store and a copy of it may have
    /// given one serial to entries that lead to different rows.
    private static let keyByteCount = 18

    /// The bytes of a value before those of the target.
    private static let headerByteCount = 25

    func add(to sort: inout ExternalSort, key: inout KeyBuffer) throws {
        key.append(bigEndian: relation)
        key.append(bigEndian: serial)
        key.append(bigEndian: XXH64.hash(target))
        let room = try unsafe sort.add(key: key.bytes, valueByteCount: Self.headerByteCount + target.count)
        let flags: UInt8 = (from == nil ? 0 : 1) | (to == nil ? 0 : 2) | (isPassed ? 4 : 0) | (isKnown ? 8 : 0)
        unsafe room.storeBytes(of: flags, as: UInt8.self)
        for (index, word) in [number, from ?? 0, to ?? 0].enumerated() {
            unsafe room.storeBytes(of: word, toByteOffset: 1 + 8 * index, as: UInt64.self)
        }
        unsafe target.withUnsafeBytes { target in
            guard let source = target.baseAddress else { return }
            unsafe (room + Self.headerByteCount).copyMemory(from: source, byteCount: target.count)
        }
    }

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let end = key.count - Self.keyByteCount
        relation = unsafe UInt16(bigEndian: key.loadUnaligned(fromByteOffset: end, as: UInt16.self))
        serial = unsafe UInt64(bigEndian: key.loadUnaligned(fromByteOffset: end + 2, as: UInt64.self))
        let flags = unsafe value[0]
        number = unsafe value.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
        from = unsafe flags & 1 == 0 ? nil : value.loadUnaligned(fromByteOffset: 9, as: UInt64.self)
        to = unsafe flags & 2 == 0 ? nil : value.loadUnaligned(fromByteOffset: 17, as: UInt64.self)
        isPassed = flags & 4 != 0
        isKnown = flags & 8 != 0
        target = unsafe [UInt8](UnsafeRawBufferPointer(rebasing: value[Self.headerByteCount...]))
    }
}
