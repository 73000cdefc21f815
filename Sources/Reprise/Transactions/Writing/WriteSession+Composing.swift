internal import RepriseLog

/// Lists that are changed by index, and as a whole (REL-18, REL-19).
extension WriteSession {
    /// Makes a list lead to these targets, in this order.
    func set(_ list: ListPlace, to targets: [[UInt8]]) throws {
        let present = try entries(of: list)
        let sources = ListAlignment.sources(of: targets, among: present.map(\.target))
        try compose(list, of: sources, targets, among: present)
    }

    /// Puts targets before the entry at an index. Members that are in the list already come from where they are.
    func insert(_ list: ListPlace, _ targets: [[UInt8]], at index: Int) throws {
        if targets.count == 1, let found = try entries(of: list, at: [index]) {
            _ = try link(list, target: targets[0], at: found[0].map { .before(EntryID($0)) } ?? .last)
            return
        }
        let present = try entries(of: list)
        guard (0...present.count).contains(index) else { throw try noPlace(index, list, present.count) }
        let coming = list.memberSlot == nil ? [] : Set(targets)
        var places: [[UInt8]: Int] = [:]
        for (place, entry) in present.enumerated() where coming.contains(entry.target) {
            places[entry.target] = place
        }
        func staying(_ range: Range<Int>) -> [Int] { range.filter { places[present[$0].target] == nil } }
        let (before, behind) = (staying(0..<index), staying(index..<present.count))
        let sources = before.map(Optional.some) + targets.map { places[$0] } + behind.map(Optional.some)
        let all = before.map { present[$0].target } + targets + behind.map { present[$0].target }
        try compose(list, of: sources, all, among: present)
    }

    /// Moves the first entry of a member before the first of another one, or to the end.
    func move(_ list: ListPlace, _ member: [UInt8], before other: [UInt8]?) throws {
        if member == other { return }
        try requireOwner(list)
        func entry(of target: [UInt8]) throws -> EntryID {
            guard let found = try workspace.entries(of: list, to: target, behind: nil, limit: 1).first else {
                throw StoreError.noEntry(of: String(decoding: target, as: UTF8.self))
            }
            return EntryID(found)
        }
        let place: Placement = try other.map { .before(try entry(of: $0)) } ?? .last
        try move(list, entry: entry(of: member), to: place)
    }

    /// Moves the entries at some indices before the one at another, in the order that they have.
    func move(_ list: ListPlace, fromOffsets offsets: Set<Int>, toOffset end: Int) throws {
        if offsets.count == 1, let start = offsets.first, let found = try entries(of: list, at: [start, end]),
            let entry = found[0]
        {
            if end == start || end == start + 1 { return }
            return try move(list, entry: EntryID(entry), to: found[1].map { .before(EntryID($0)) } ?? .last)
        }
        let present = try entries(of: list)
        try check(offsets, list, present.count)
        guard (0...present.count).contains(end) else { throw try noPlace(end, list, present.count) }
        let (before, behind) = (present.indices.prefix(end), present.indices.dropFirst(end))
        let order = before.filter { !offsets.contains($0) } + offsets.sorted()
            + behind.filter { !offsets.contains($0) }
        try arrange(list, order, among: present)
    }

    /// Takes the entries at some indices out of a list.
    func remove(_ list: ListPlace, atOffsets offsets: Set<Int>) throws {
        let leaving: [ListEntry]
        if offsets.count == 1, let entry = try entries(of: list, at: Array(offsets))?[0] {
            leaving = [entry]
        } else {
            let present = try entries(of: list)
            try check(offsets, list, present.count)
            leaving = offsets.sorted().map { present[$0] }
        }
        for entry in leaving { try checkLeaving(entry, list) }
        for entry in leaving { try takeOut(entry, list, cause: 0) }
    }

    /// Takes the entries that lead to a target out of a list. Returns how many.
    func remove(_ list: ListPlace, to target: [UInt8]) throws -> Int {
        try requireOwner(list)
        let leaving = try workspace.entries(of: list, to: target, behind: nil, limit: .max)
        for entry in leaving { try checkLeaving(entry, list) }
        for entry in leaving { try takeOut(entry, list, cause: 0) }
        return leaving.count
    }

    private func entries(of list: ListPlace) throws -> [ListEntry] {
        try requireOwner(list)
        return try workspace.entries(of: list.key)
    }

    /// The entries at some indices of a list, and nil for the index of its end. O(the largest index),
    /// and O(what is pending of the list).
    ///
    /// - Returns: nil where an index is out of range.
    private func entries(of list: ListPlace, at indices: [Int]) throws -> [ListEntry?]? {
        try requireOwner(list)
        guard let first = indices.min(), let last = indices.max(), first >= 0 else { return nil }
        var found = [ListEntry?](repeating: nil, count: indices.count)
        var count = 0
        try workspace.forEachEntry(of: list.key) { entry in
            for (place, index) in indices.enumerated() where index == count { found[place] = entry }
            count += 1
            return count <= last
        }
        return last <= count ? found : nil
    }

    /// Makes a list of entries that it has and of new ones. Those of a longest run that is in this order already stay
    /// where they are; each of the others gets one event. Where there is no room between two of them, others get other
    /// places as well (REL-15).
    ///
    /// - Parameters:
    ///   - sources: for each place the index in `present` of the entry that goes there, each once at most; nil for a
    ///     new one. Entries without a place are taken out.
    ///   - targets: for each place what the entry leads to.
    ///   - present: the list as it is.
    private func compose(
        _ list: ListPlace,
        of sources: [Int?],
        _ targets: [[UInt8]],
        among present: [ListEntry]
    ) throws {
        let isStaying = Set(sources.compactMap(\.self))
        let leaving = present.indices.filter { !isStaying.contains($0) }.map { present[$0] }
        try check(targets, sources, list)
        for entry in leaving { try checkLeaving(entry, list) }
        for entry in leaving { try takeOut(entry, list, cause: 0) }
        let entries = sources.map { $0.map { present[$0] } }
        let keys = try place(
            entries,
            sources,
            among: present.indices.filter(isStaying.contains).map { present[$0] },
            list
        )
        for (index, target) in targets.enumerated() where sources[index] == nil {
            try add(target, to: list, at: keys[index])
        }
    }

    /// Moves entries so that each stands in its place, with room for new ones. Returns the keys of all places.
    private func place(
        _ entries: [ListEntry?],
        _ sources: [Int?],
        among present: [ListEntry],
        _ list: ListPlace
    ) throws -> [UInt64] {
        let places = sources.indices.filter { sources[$0] != nil }
        let ascent = LongestAscent.indices(of: places.compactMap { sources[$0] })
        let staying = ascent.map { places[$0] }
        if !staying.isEmpty,
            let keys = Self.freeKeys(for: entries, staying: staying, among: present)
        {
            // Nothing stands at any of these keys.
            for case (let entry?, let key) in zip(entries, keys) {
                try move(entry, list, to: key, cause: 0)
            }
            return keys
        }
        var keys: [UInt64] = []
        for _ in entries { keys.append(try key(after: keys.last)) }
        var moves: [(entry: ListEntry, key: UInt64)] = []
        for case (let entry?, let key) in zip(entries, keys) where entry.orderKey != key {
            moves.append((entry, key))
        }
        if !moves.isEmpty { try permute(moves, list) }
        return keys
    }

    /// Puts a new entry at an order key that is free.
    private func add(_ target: [UInt8], to list: ListPlace, at orderKey: UInt64) throws {
        if let slot = list.memberSlot {
            let member = EntityKey(model: list.end.other.model, id: target)
            let bytes = Self.referenceBytes(orderKey, list.owner.id)
            return try setSlot(member, slot: slot, to: bytes, cause: 0, isChecked: true)
        }
        let serial = try recordEntry(.linked, list, cause: 0) { writer in
            writer.u64(orderKey)
            unsafe target.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        workspace.link(ListEntry(orderKey: orderKey, serial: serial, target: target), in: list.key)
    }
}

/// What forbids it.
extension WriteSession {
    /// What is new has to be there, and a member of a list is in it once.
    private func check(_ targets: [[UInt8]], _ sources: [Int?], _ list: ListPlace) throws {
        if list.memberSlot != nil {
            var members: Set<[UInt8]> = []
            for target in targets where !members.insert(target).inserted {
                throw StoreError(
                    .invalidValue,
                    "\(try name(of: list)) is to have \"\(String(decoding: target, as: UTF8.self))\" twice.",
                    advice: "A list that is the other side of a to-one has each member once."
                )
            }
        }
        for (target, source) in zip(targets, sources) where source == nil {
            let member = EntityKey(model: list.end.other.model, id: target)
            guard try workspace.contains(member) else {
                throw StoreError.targetMissing(try reference(member), from: try reference(list.owner))
            }
        }
    }

    private func check(_ offsets: Set<Int>, _ list: ListPlace, _ count: Int) throws {
        for offset in offsets.sorted() where !(0..<count).contains(offset) {
            throw StoreError(
                .entryMissing,
                "\(try name(of: list)) has \(count) entries, and none at \(offset).",
                advice: "The first is at 0. Read the list again; somebody may have changed it."
            )
        }
    }

    private func noPlace(_ index: Int, _ list: ListPlace, _ count: Int) throws -> StoreError {
        StoreError(
            .entryMissing,
            "\(try name(of: list)) has \(count) entries, so nothing can be put at \(index).",
            advice: "The end is at \(count). Read the list again; somebody may have changed it."
        )
    }

    private func name(of list: ListPlace) throws -> String {
        "The list \"\(list.end.own.name ?? "")\" of \(try reference(list.owner))"
    }
}
