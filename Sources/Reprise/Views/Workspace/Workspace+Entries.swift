internal import RepriseLMDB
internal import RepriseLog

/// Single entries of a list, and walks along it, without holding the list.
extension Workspace {
    /// Hands over the entries of a list in order, one after the other. O(1) memory beside what is pending of the list.
    ///
    /// - Parameters:
    ///   - place: the order key behind which to begin; nil for the first entry.
    ///   - body: returns false to stop. It must not change the list.
    /// - Returns: whether it came to the end.
    @discardableResult
    func forEachEntry(
        of list: ListKey,
        behind place: UInt64? = nil,
        _ body: (ListEntry) throws -> Bool
    ) throws -> Bool {
        try settle()
        if place == .max { return true }
        let start = place.map { $0 + 1 } ?? 0
        let added = lists[list]?.presentEntries() ?? []
        let changes = lists[list]?.changes ?? [:]
        var next = added.partitioningIndex { $0.orderKey >= start }
        let firstKept = lists[list]?.firstKept ?? 0
        // Nothing that the tables have was handed over yet.
        var isAtBeginning = start <= firstKept
        keyBuffer.setEdge(list, orderKey: max(start, firstKept))
        let key = unsafe [UInt8](keyBuffer.bytes)
        let isStopped = try unsafe key.withUnsafeBytes { key -> Bool in
            let prefix = unsafe UnsafeRawBufferPointer(
                rebasing: key.dropLast(MemoryLayout<UInt64>.size)
            )
            var cursor = try base.cursor(tables.edges)
            var isThere =
                try place == nil && firstKept == 0
                ? unsafe cursor.seekList(prefix) : unsafe cursor.seek(atOrAfter: key)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                var parser = unsafe KeyParser(cursor.key, skipping: prefix.count)
                let orderKey = try parser.number()
                while next < added.endIndex, added[next].orderKey < orderKey {
                    guard try body(added[next]) else { return true }
                    next += 1
                }
                if changes[orderKey] == nil {
                    if isAtBeginning, orderKey > firstKept { lists[list]?.firstKept = orderKey }
                    isAtBeginning = false
                    let value = try unsafe EdgeValue(key: cursor.key, value: cursor.value)
                    let entry = unsafe ListEntry(
                        orderKey: orderKey,
                        serial: value.serial,
                        target: [UInt8](value.target)
                    )
                    guard try body(entry) else { return true }
                }
                isThere = try cursor.next()
            }
            if isThere { try cursor.checkEntry() }
            if isAtBeginning { lists[list]?.firstKept = .max }
            return false
        }
        if isStopped { return false }
        while next < added.endIndex {
            guard try body(added[next]) else { return false }
            next += 1
        }
        return true
    }

    /// The order key of the last entry of a list that stands before a place; nil where there is none. O(log n), and
    /// O(what is pending of the list).
    func lastOrderKey(of list: ListKey, before place: UInt64) throws -> UInt64? {
        try settle()
        let added = lists[list]?.presentEntries() ?? []
        let changes = lists[list]?.changes ?? [:]
        let index = added.partitioningIndex { $0.orderKey >= place }
        var last = index > 0 ? added[index - 1].orderKey : nil
        keyBuffer.setEdge(list, orderKey: place)
        let key = unsafe [UInt8](keyBuffer.bytes)
        try unsafe key.withUnsafeBytes { key in
            let prefix = unsafe key.dropLast(MemoryLayout<UInt64>.size)
            var cursor = try base.cursor(tables.edges)
            var isThere = try unsafe cursor.seek(atOrAfter: key) ? cursor.previous() : cursor.last()
            while isThere, unsafe cursor.key.count == key.count && cursor.key.starts(with: prefix) {
                var parser = unsafe KeyParser(cursor.key, skipping: prefix.count)
                let orderKey = try parser.number()
                if let last, orderKey < last { return }
                if changes[orderKey] == nil {
                    try cursor.checkEntry()
                    last = orderKey
                    return
                }
                isThere = try cursor.previous()
            }
        }
        return last
    }

    /// The entry with an identity, where what leads back from its target, or the hint in the identity, says where it
    /// stands; nil where it is not there.
    func entry(_ id: EntryID, in list: ListPlace) throws -> ListEntry? {
        let target = Array(id.target.utf8)
        func entry(at place: UInt64) throws -> ListEntry? {
            guard let entry = try self.entry(of: list.key, at: place), entry.serial == id.serial,
                entry.target == target
            else { return nil }
            return entry
        }
        if id.place > 0, let entry = try entry(at: id.place) { return entry }
        for place in try places(of: target, in: list) {
            if let entry = try entry(at: place) { return entry }
        }
        return nil
    }

    /// The entries of a list that lead to a target, in order.
    ///
    /// - Parameters:
    ///   - place: the order key behind which they stand; nil for all.
    ///   - limit: how many at most.
    func entries(
        of list: ListPlace,
        to target: [UInt8],
        behind place: UInt64?,
        limit: Int
    ) throws -> [ListEntry] {
        try places(of: target, in: list, behind: place, limit: limit).compactMap {
            try entry(of: list.key, at: $0)
        }
    }

    /// Where a target stands in a list, according to what leads back from it, in order.
    func places(
        of target: [UInt8],
        in list: ListPlace,
        behind place: UInt64? = nil,
        limit: Int = .max
    ) throws -> [UInt64] {
        guard let slot = list.memberSlot else {
            let back = ListKey(relation: list.end.relation.number, id: target)
            return try places(of: back, in: list.owner.id, behind: place, limit: limit)
        }
        try settle()
        let member = EntityKey(model: list.end.other.model, id: target)
        guard limit > 0, let row = try row(member),
            let bytes = try unsafe RowPayload(trusting: row.payload).slot(slot)
        else { return [] }
        let reference = try unsafe ReferenceBytes(bytes)
        guard unsafe reference.target.elementsEqual(list.owner.id) else { return [] }
        if let place, reference.orderKey <= place { return [] }
        return [reference.orderKey]
    }

    /// The same of a many-to-many relation.
    private func places(
        of target: ListKey,
        in owner: [UInt8],
        behind place: UInt64?,
        limit: Int
    ) throws -> [UInt64] {
        try settle()
        if place == .max { return [] }
        let start = place.map { $0 + 1 } ?? 0
        let pending = backlinks[target]
        var added = pending.map { addedPlaces(of: target, in: owner, $0) } ?? []
        added.removeAll { $0 < start }
        added.sort()
        var found: [UInt64] = []
        var next = added.startIndex
        keyBuffer.setList(target)
        keyBuffer.append(escaped: owner)
        keyBuffer.append(bigEndian: start)
        let key = unsafe [UInt8](keyBuffer.bytes)
        try unsafe key.withUnsafeBytes { key in
            let prefix = unsafe UnsafeRawBufferPointer(
                rebasing: key.dropLast(MemoryLayout<UInt64>.size)
            )
            var cursor = try base.cursor(tables.backlinks)
            var isThere = try unsafe cursor.seek(atOrAfter: key)
            while isThere, found.count < limit, unsafe cursor.key.starts(with: prefix) {
                var rest = unsafe KeyParser(cursor.key, skipping: prefix.count)
                let orderKey = try rest.number()
                while next < added.endIndex, added[next] < orderKey {
                    found.append(added[next])
                    next += 1
                }
                if pending?[Backlink(owner: owner, orderKey: orderKey)] == nil {
                    found.append(orderKey)
                }
                isThere = try cursor.next()
            }
        }
        found.append(contentsOf: added[next...])
        return Array(found.prefix(limit))
    }

    /// Where a target stands in a list because of changes in memory. O(changes to the list, or to the ways back from
    /// the target, whichever are fewer): many owners may have one target, and one owner may have many.
    private func addedPlaces(of target: ListKey, in owner: [UInt8], _ pending: PendingBacklinks) -> [UInt64] {
        let list = lists[ListKey(relation: target.relation, id: owner)]?.changes ?? [:]
        if list.count < pending.count {
            return list.values.compactMap { $0?.target == target.id ? $0?.orderKey : nil }
        }
        var places: [UInt64] = []
        pending.forEachChange { backlink, isPresent in
            if isPresent, backlink.owner == owner { places.append(backlink.orderKey) }
        }
        return places
    }
}
