internal import RepriseLMDB
internal import RepriseLog

/// What becomes of entries of the lists of one owner.
struct EntryDeltas {
    private var list: PackedList<EntryDelta>
    /// Whether the bytes tell of the way back.
    private var isInverted = false

    init(_ list: PackedList<EntryDelta>) { self.list = list }

    /// - Parameter makeFile: makes the file for what does not fit into memory; nil where all of it is there anyway.
    init(_ makeFile: (() throws(LMDBError) -> SpillFile)? = nil) { list = PackedList(makeFile) }

    init(_ entries: [EntryDelta]) throws {
        list = PackedList()
        for entry in entries { try list.append(entry) }
    }

    var count: Int { list.count }
    var isEmpty: Bool { list.isEmpty }

    mutating func append(_ entry: EntryDelta) throws { try list.append(isInverted ? entry.inverted() : entry) }

    func makeCursor() -> EntryDeltaCursor { EntryDeltaCursor(list: PackedCursor(list), isInverted: isInverted) }

    func forEach(_ body: (EntryDelta) throws -> Void) throws {
        try list.forEach { try body(isInverted ? $0.inverted() : $0) }
    }

    func contains(where isWanted: (EntryDelta) throws -> Bool) throws -> Bool {
        var cursor = makeCursor()
        while let entry = try cursor.next() { if try isWanted(entry) { return true } }
        return false
    }

    func filter(_ isWanted: (EntryDelta) throws -> Bool) throws -> [EntryDelta] {
        var wanted: [EntryDelta] = []
        try forEach { if try isWanted($0) { wanted.append($0) } }
        return wanted
    }

    func map(_ transform: (EntryDelta) throws -> EntryDelta) throws -> EntryDeltas {
        var others = EntryDeltas(list.emptyCopy())
        try forEach { try others.append(transform($0)) }
        return others
    }

    mutating func removeAll(where isUnwanted: (EntryDelta) throws -> Bool) throws {
        try list.removeAll { try isUnwanted(isInverted ? $0.inverted() : $0) }
    }

    /// The way back. O(1).
    func inverted() -> EntryDeltas {
        var other = self
        other.isInverted.toggle()
        return other
    }

    /// The entries in the bytes in which they are written.
    func packed() throws -> PackedList<EntryDelta> { try isInverted ? list.map { $0.inverted() } : list }
}

/// Goes from one entry of an owner to the next.
struct EntryDeltaCursor {
    fileprivate var list: PackedCursor<EntryDelta>
    fileprivate let isInverted: Bool

    mutating func next() throws -> EntryDelta? {
        let next = try list.next()
        return isInverted ? next?.inverted() : next
    }
}
