internal import RepriseLMDB
internal import RepriseLog

/// The entries of a plan, in the order in which they came: in memory while they are few, in a file when they are many.
final class PlanEntries {
    private let schema: CompiledSchema
    private let memoryByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile
    /// All of them, or those that the file does not have yet.
    private var tail: [ChangePlan.Entry] = []
    private var tailByteCount = 0
    private var file: SpillFile?
    private(set) var count = 0

    init(_ schema: CompiledSchema, memoryByteCount: Int, makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.schema = schema
        self.memoryByteCount = memoryByteCount
        self.makeFile = makeFile
    }

    var isEmpty: Bool { count == 0 }

    func append(_ entry: ChangePlan.Entry) throws {
        tail.append(entry)
        count += 1
        tailByteCount += 200 + entry.list.owner.id.count + entry.delta.target.count
        guard tailByteCount > memoryByteCount else { return }
        let file = try file ?? makeFile()
        self.file = file
        var writer = ByteWriter()
        for entry in tail {
            let start = writer.count
            writer.u32(0)
            entry.write(to: &writer)
            writer.patch(u32: UInt32(writer.count - start - 4), at: start)
        }
        try unsafe file.append(writer.bytes)
        tail.removeAll(keepingCapacity: true)
        tailByteCount = 0
    }

    func forEach(_ body: (ChangePlan.Entry) throws -> Void) throws {
        if let file {
            var reader = PlanEntryReader(file, schema)
            while let entry = try reader.next() { try body(entry) }
        }
        for entry in tail { try body(entry) }
    }

    /// For other entries of the same lists.
    func emptyCopy() -> PlanEntries {
        PlanEntries(schema, memoryByteCount: memoryByteCount, makeFile: makeFile)
    }

    /// Puts something else in the place of each; nil for nothing.
    func replaceEach(_ replacement: (ChangePlan.Entry) throws -> ChangePlan.Entry?) throws {
        let next = emptyCopy()
        try forEach { if let entry = try replacement($0) { try next.append(entry) } }
        take(next)
    }

    /// Adds entries, behind those of the same owner.
    ///
    /// - Parameters:
    ///   - owners: whose they are.
    ///   - body: adds those of one owner.
    func append(
        behindOwners owners: some Sequence<EntityKey>,
        _ body: (_ owner: EntityKey, _ append: (ChangePlan.Entry) throws -> Void) throws -> Void
    ) throws {
        var waiting = Set(owners)
        if waiting.isEmpty { return }
        let next = emptyCopy()
        var last: EntityKey?
        func finish() throws {
            if let owner = last, waiting.remove(owner) != nil { try body(owner, next.append) }
        }
        try forEach { entry in
            if entry.list.owner != last { try finish() }
            last = entry.list.owner
            try next.append(entry)
        }
        try finish()
        for owner in waiting.sorted(by: { $0.precedes($1) }) { try body(owner, next.append) }
        take(next)
    }

    private func take(_ other: PlanEntries) {
        (tail, tailByteCount, file, count) = (other.tail, other.tailByteCount, other.file, other.count)
    }

    /// The entries that are in a file, and those that are in memory.
    fileprivate var parts: (file: SpillFile?, tail: [ChangePlan.Entry]) { (file, tail) }

    fileprivate func reader(of file: SpillFile) -> PlanEntryReader { PlanEntryReader(file, schema) }

    func removeAll(where isUnwanted: (ChangePlan.Entry) throws -> Bool) throws {
        try replaceEach { try isUnwanted($0) ? nil : $0 }
    }
}

extension ChangePlan.Entry {
    func write(to writer: inout ByteWriter) {
        writer.u16(list.owner.model)
        writer.counted(list.owner.id)
        writer.u16(delta.relation)
        writer.varint(delta.serial)
        writer.counted(delta.target)
        writer.u8((delta.from == nil ? 0 : 1) | (delta.to == nil ? 0 : 2))
        if let from = delta.from { writer.u64(from) }
        if let to = delta.to { writer.u64(to) }
    }

    init(_ reader: inout ByteReader, _ schema: CompiledSchema) throws {
        let model = try schema.model(try reader.u16())
        let owner = try unsafe EntityKey(model: model.number, id: reader.bytes(try reader.count()))
        let relation = try reader.u16()
        guard let end = model.ownedLists.first(where: { $0.relation.number == relation }) else {
            throw StoreError.damage("A temporary file names a list that the schema does not have.")
        }
        let serial = try reader.varint()
        let target = try unsafe [UInt8](reader.bytes(try reader.count()))
        let flags = try reader.u8()
        let from = flags & 1 == 0 ? nil : try reader.u64()
        let to = flags & 2 == 0 ? nil : try reader.u64()
        list = ListPlace(end: end, owner: owner)
        delta = EntryDelta(relation: relation, serial: serial, target: target, from: from, to: to)
    }
}

/// Goes from one entry of a plan to the next. The entries must stay as they are meanwhile.
struct PlanEntryCursor {
    private var reader: PlanEntryReader?
    private var tail: ArraySlice<ChangePlan.Entry>
    private(set) var present: ChangePlan.Entry?

    init(_ entries: PlanEntries) {
        reader = entries.parts.file.map(entries.reader)
        tail = entries.parts.tail[...]
    }

    /// Goes to the next one; ``present`` is nil behind the last.
    mutating func advance() throws {
        present = try reader?.next()
        if present == nil {
            reader = nil
            present = tail.popFirst()
        }
    }
}

/// Reads entries of a plan from a file, from front to back.
private struct PlanEntryReader {
    private var records: SpillRecords
    private let schema: CompiledSchema

    init(_ file: SpillFile, _ schema: CompiledSchema) {
        records = SpillRecords(file)
        self.schema = schema
    }

    mutating func next() throws -> ChangePlan.Entry? {
        let schema = schema
        return try records.next { try ChangePlan.Entry(&$0, schema) }
    }
}
