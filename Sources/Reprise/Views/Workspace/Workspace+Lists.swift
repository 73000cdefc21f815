internal import RepriseLMDB
internal import RepriseLog

/// Changes in memory to one ordered list.
struct PendingList {
    /// What stands at an order key now; nil where an entry was taken away.
    var changes: [UInt64: ListEntry?] = [:]
    /// The largest order key in use; nil when it is not known.
    var last: UInt64??
    /// Each entry before this place that the tables have was changed.
    var firstKept: UInt64 = 0
    /// What stands in the list because of these changes, in order. Nil until it is asked for, and again after several
    /// changes in a row.
    private var present: [ListEntry]?
    private var changesSinceAsked = 0

    /// So many changes in a row are put into that order one by one. After more, it is sorted when it is asked for.
    private static let changesSinceAskedMax = 8

    /// What stands in the list because of these changes, in order. O(1), and O(n log n) after several changes in a row.
    mutating func presentEntries() -> [ListEntry] {
        changesSinceAsked = 0
        if let present { return present }
        let sorted = changes.values.compactMap(\.self).sorted { $0.orderKey < $1.orderKey }
        present = sorted
        return sorted
    }

    mutating func put(_ entry: ListEntry) {
        change(at: entry.orderKey, to: entry)
        if case .some(let last) = last { self.last = .some(max(last ?? 0, entry.orderKey)) }
    }

    mutating func remove(at orderKey: UInt64) {
        change(at: orderKey, to: nil)
        if case .some(orderKey) = last { last = nil }
    }

    private mutating func change(at orderKey: UInt64, to entry: ListEntry?) {
        changes[orderKey] = .some(entry)
        guard var order = present else { return }
        // The array has no other owner then, and is not copied.
        present = nil
        changesSinceAsked += 1
        if changesSinceAsked > Self.changesSinceAskedMax { return }
        let index = order.partitioningIndex { $0.orderKey >= orderKey }
        let isThere = index < order.count && order[index].orderKey == orderKey
        if isThere { order.remove(at: index) }
        if let entry { order.insert(entry, at: index) }
        present = order
    }
}

/// Changes in memory to the ways back from one target.
///
/// Most targets have one or two, for which a dictionary each would cost more than all else.
struct PendingBacklinks {
    private static let fewCountMax = 8

    private var few: [(backlink: Backlink, isPresent: Bool)] = []
    /// All of them, once they are more than a few.
    private var many: [Backlink: Bool] = [:]

    var count: Int { many.isEmpty ? few.count : many.count }

    /// Whether the way is there now; nil where nothing changed.
    subscript(backlink: Backlink) -> Bool? {
        if !many.isEmpty { return many[backlink] }
        return few.first { $0.backlink == backlink }?.isPresent
    }

    mutating func set(_ backlink: Backlink, isPresent: Bool) {
        if !many.isEmpty {
            many[backlink] = isPresent
        } else if let index = few.firstIndex(where: { $0.backlink == backlink }) {
            few[index].isPresent = isPresent
        } else if few.count < Self.fewCountMax {
            few.append((backlink, isPresent))
        } else {
            for change in few { many[change.backlink] = change.isPresent }
            few = []
            many[backlink] = isPresent
        }
    }

    /// In no particular order.
    func forEachChange<E: Error>(_ body: (Backlink, Bool) throws(E) -> Void)
        throws(E)
    {
        for (backlink, isPresent) in few { try body(backlink, isPresent) }
        for (backlink, isPresent) in many { try body(backlink, isPresent) }
    }
}

/// Ordered lists and the ways back.
extension Workspace {
    /// All entries of a list in order. O(entries of the list).
    func entries(of list: ListKey) throws -> [ListEntry] {
        try settle()
        var entries: [ListEntry] = []
        let pending = lists[list]
        try forEachBaseEntry(of: list) { entry in
            if pending?.changes[entry.orderKey] == nil { entries.append(entry) }
        }
        guard let pending, !pending.changes.isEmpty else { return entries }
        entries.append(contentsOf: pending.changes.values.compactMap(\.self))
        entries.sort { $0.orderKey < $1.orderKey }
        return entries
    }

    /// The entry that stands at an order key, if one does. O(log n).
    func entry(of list: ListKey, at orderKey: UInt64) throws -> ListEntry? {
        try settle()
        if let change = lists[list]?.changes[orderKey] { return change }
        keyBuffer.setEdge(list, orderKey: orderKey)
        guard let bytes = try unsafe base.get(tables.edges, keyBuffer.bytes) else { return nil }
        let value = try unsafe EdgeValue(key: keyBuffer.bytes, value: bytes)
        return unsafe ListEntry(
            orderKey: orderKey,
            serial: value.serial,
            target: [UInt8](value.target)
        )
    }

    /// The order key that puts an entry at the end of a list. O(log n), and O(1) once the list was asked.
    func appendKey(of list: ListKey) throws -> UInt64? {
        OrderKey.after(try lastOrderKey(of: list))
    }

    /// The owners whose lists point to a target, with the places, of a many-to-many relation.
    func backlinks(of target: ListKey) throws -> [Backlink] {
        try settle()
        var found: [Backlink] = []
        let pending = backlinks[target]
        keyBuffer.setList(target)
        try forEachWayBack(beginningWith: unsafe [UInt8](keyBuffer.bytes)) { rest in
            let backlink = Backlink(owner: try rest.identifier(), orderKey: try rest.number())
            if pending?[backlink] == nil { found.append(backlink) }
        }
        guard let pending else { return found }
        pending.forEachChange { backlink, isPresent in if isPresent { found.append(backlink) } }
        found.sort { left, right in
            left.owner == right.owner
                ? left.orderKey < right.orderKey : left.owner.lexicographicallyPrecedes(right.owner)
        }
        return found
    }

    /// Hands over what follows the prefix in the keys of the ways back that the tables have under it, in order.
    private func forEachWayBack(
        beginningWith prefix: [UInt8],
        _ body: (_ rest: inout KeyParser) throws -> Void
    ) throws {
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try base.cursor(tables.backlinks)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                var rest = unsafe KeyParser(cursor.key, skipping: prefix.count)
                try body(&rest)
                isThere = try cursor.next()
            }
        }
    }

    /// Notes an entry; what the row of a reference holds is not this function's business.
    func putEntry(_ entry: ListEntry, in list: ListKey) {
        lists[list, default: PendingList()].put(entry)
        entryCount += 1
    }

    func removeEntry(in list: ListKey, orderKey: UInt64) {
        lists[list, default: PendingList()].remove(at: orderKey)
        entryCount += 1
    }

    /// Puts an entry into a many-to-many list, with its way back and its share of the digest.
    func link(_ entry: ListEntry, in list: ListKey) {
        putEntry(entry, in: list)
        setBacklink(from: entry, in: list, isPresent: true)
        addToDigest(Self.digest(of: entry, in: list))
    }

    /// Takes an entry out of a many-to-many list.
    func unlink(_ entry: ListEntry, in list: ListKey) {
        removeEntry(in: list, orderKey: entry.orderKey)
        setBacklink(from: entry, in: list, isPresent: false)
        removeFromDigest(Self.digest(of: entry, in: list))
    }

    private func setBacklink(from entry: ListEntry, in list: ListKey, isPresent: Bool) {
        let target = ListKey(relation: list.relation, id: entry.target)
        let backlink = Backlink(owner: list.id, orderKey: entry.orderKey)
        backlinks[target, default: PendingBacklinks()].set(backlink, isPresent: isPresent)
        entryCount += 1
    }

    /// The order key of the last entry that the list has now. What was taken away does not count, whenever it was, so
    /// that the same operations give the same keys however they are spread over flushes.
    func lastOrderKey(of list: ListKey) throws -> UInt64? {
        if case .some(let last) = lists[list]?.last { return last }
        let pending = lists[list]?.changes ?? [:]
        var last = pending.isEmpty ? nil : lists[list]?.presentEntries().last?.orderKey
        if let known = deferred?.lastOrderKey(of: list) {
            // While changes are deferred nothing is taken out of lists.
            if let known { last = max(last ?? 0, known) }
            lists[list, default: PendingList()].last = .some(last)
            return last
        }
        keyBuffer.setEdge(list, orderKey: .max)
        let prefixCount = keyBuffer.count - 8
        var cursor = try base.cursor(tables.edges)
        // The last entry is the one before the first key beyond the list.
        var isThere = try unsafe cursor.seek(atOrAfter: keyBuffer.bytes)
        // A key equal to the bound belongs to the list itself.
        if unsafe !isThere || !cursor.key.hasSameBytes(as: keyBuffer.bytes) {
            isThere = try isThere ? cursor.previous() : cursor.last()
        }
        while isThere, unsafe cursor.key.count == prefixCount + 8,
            unsafe cursor.key.prefix(prefixCount).elementsEqual(keyBuffer.bytes.prefix(prefixCount))
        {
            var parser = unsafe KeyParser(cursor.key, skipping: prefixCount)
            let orderKey = try parser.number()
            if let last, orderKey < last { break }
            if pending[orderKey] == nil {
                try cursor.checkEntry()
                last = orderKey
                break
            }
            isThere = try cursor.previous()
        }
        lists[list, default: PendingList()].last = .some(last)
        return last
    }

    private func forEachBaseEntry(of list: ListKey, _ body: (ListEntry) throws -> Void) throws {
        keyBuffer.setList(list)
        let prefix = unsafe [UInt8](keyBuffer.bytes)
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try base.cursor(tables.edges)
            var isThere = try unsafe cursor.seekList(prefix)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                var parser = unsafe KeyParser(cursor.key, skipping: prefix.count)
                let value = try unsafe EdgeValue(key: cursor.key, value: cursor.value)
                try body(
                    unsafe ListEntry(
                        orderKey: try parser.number(),
                        serial: value.serial,
                        target: [UInt8](value.target)
                    )
                )
                isThere = try cursor.next()
            }
            if isThere { try cursor.checkEntry() }
        }
    }

    /// An entry's share of the state digest (Specs/format/digest.md). The entry's serial is not part of it: the
    /// same list built in another order of events is the same state.
    static func digest(of entry: ListEntry, in list: ListKey) -> Digest256 {
        let count = 15 + list.id.count + entry.target.count
        return unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            var end = 0
            func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
                unsafe buffer.storeBytes(of: value.bigEndian, toByteOffset: end, as: T.self)
                end += MemoryLayout<T>.size
            }
            func append(_ bytes: [UInt8]) {
                unsafe bytes.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
                        .copyMemory(from: $0)
                }
                end += bytes.count
            }
            append(2 as UInt8)
            append(list.relation)
            append(UInt32(list.id.count))
            append(list.id)
            append(entry.orderKey)
            append(entry.target)
            return unsafe SHA256Hash.digest(of: UnsafeRawBufferPointer(buffer))
        }
    }
}

/// A value of the table `edges`: checksum over key and the rest, serial, target.
@safe
struct EdgeValue {
    let serial: UInt64
    let target: UnsafeRawBufferPointer

    static let headerByteCount = 16

    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(StoreError) {
        guard value.count >= Self.headerByteCount,
            unsafe value.loadUnaligned(as: UInt64.self).littleEndian
                == XXH64.hash(key, UnsafeRawBufferPointer(rebasing: value[8...]))
        else { throw .damage("An entry of a list does not match its checksum.") }
        serial = unsafe UInt64(
            littleEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
        unsafe target = UnsafeRawBufferPointer(rebasing: value[Self.headerByteCount...])
    }

    static func encode(_ entry: ListEntry, key: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: headerByteCount + entry.target.count))
        unsafe bytes.withUnsafeMutableBytes { room in
            unsafe entry.target.withUnsafeBytes { target in
                unsafe write(serial: entry.serial, target: target, key: key, into: room)
            }
        }
    }

    /// Writes a value into `room`, which has `headerByteCount + target.count` bytes.
    static func write(
        serial: UInt64,
        target: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawBufferPointer
    ) {
        unsafe room.storeBytes(of: serial.littleEndian, toByteOffset: 8, as: UInt64.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[headerByteCount...])
            .copyMemory(from: target)
        let covered = unsafe UnsafeRawBufferPointer(rebasing: room[8...])
        unsafe room.storeBytes(of: XXH64.hash(key, covered).littleEndian, as: UInt64.self)
    }
}

extension Cursor {
    /// Goes to the first entry of a list, whose keys begin with `prefix`, or to what comes after it.
    ///
    /// The entry before it is checked, and the one after the list has to be when that is reached: one of the list under
    /// a damaged key that is still in order would be either of them (STO-33).
    mutating func seekList(_ prefix: UnsafeRawBufferPointer) throws -> Bool {
        let isThere = try unsafe seek(atOrAfter: prefix)
        if try previous() { try checkEntry() }
        return try isThere && next()
    }

    /// Checks the entry of a list that the cursor is at.
    func checkEntry() throws {
        _ = try unsafe EdgeValue(key: key, value: value)
    }
}
