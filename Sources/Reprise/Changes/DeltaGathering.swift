internal import RepriseLMDB
internal import RepriseLog

/// Finds what the events between two states come to, entity by entity: they are sorted by entity, outside of memory
/// where they are many, and those of one entity are put together. What they do to entries of lists is sorted by entry.
struct DeltaGathering: ~Copyable {
    static let memoryByteCount = 24 << 20

    private var sort: ExternalSort
    private var key = KeyBuffer()
    /// How many events there were.
    private var count: UInt64 = 0
    /// Reads older events of this store in the terms of the present schema; nil where nothing was converted.
    private let upcaster: EventUpcaster?
    private let foreign: ForeignTerms?
    /// Whether the places in lists are told as well that known events have given.
    private let tellsKnownPlaces: Bool
    private let makeFile: (() throws(LMDBError) -> SpillFile)?

    /// - Parameters:
    ///   - upcaster: reads older events of this store; nil where nothing was converted.
    ///   - foreign: how events of another store are said here; nil where there are none.
    ///   - tellsKnownPlaces: whether the places in lists are told as well that known events have given, each as a
    ///     change to the same place.
    init(
        _ upcaster: EventUpcaster?,
        foreign: ForeignTerms? = nil,
        tellsKnownPlaces: Bool = false,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.upcaster = upcaster
        self.foreign = foreign
        self.tellsKnownPlaces = tellsKnownPlaces
        self.makeFile = makeFile
        sort = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
    }

    /// For events that are in memory anyway.
    init(inMemory upcaster: EventUpcaster?) {
        self.upcaster = upcaster
        foreign = nil
        tellsKnownPlaces = false
        makeFile = nil
        sort = ExternalSort(memoryByteCount: .max) { () throws(LMDBError) in
            preconditionFailure("All of it is in memory.")
        }
    }

    /// Whether there was any event of rows or lists.
    var hasEvents: Bool { count > 0 }

    /// Takes the next event on the way from one state to the other.
    ///
    /// - Parameters:
    ///   - isUndone: whether the way leads from after the event to before it.
    ///   - isForeign: whether it is of another store.
    ///   - isPassed: whether it stays: older events of the entity have no say in what it has changed.
    ///   - isKnown: whether the state with which the way begins has what the event did as well.
    ///   - part: what counts of an event that has changed a row; nil for all of it.
    mutating func add(
        _ event: EventView,
        isUndone: Bool,
        isForeign: Bool = false,
        isPassed: Bool = false,
        isKnown: Bool = false,
        part: SlotChanges? = nil
    ) throws {
        try Change.checkVersion(of: event)
        guard event.type.rawValue <= EventType.moved.rawValue else { return }
        count += 1
        let terms = isForeign ? foreign : nil
        let flags: UInt8 = (isUndone ? 1 : 0) | (isForeign ? 2 : 0) | (isPassed ? 4 : 0) | (isKnown ? 8 : 0)
        func addStep(
            _ relation: UInt16,
            _ serial: UInt64,
            _ target: [UInt8],
            from: UInt64?,
            to: UInt64?
        ) throws {
            unsafe key.setEntity(model: terms?.model(event.model) ?? event.model, id: event.id)
            key.append(bigEndian: Self.entryMark)
            var (relation, serial) = (relation, serial)
            if let terms {
                relation = terms.relation(relation)
                let list = unsafe ListKey(relation: relation, id: [UInt8](event.id))
                serial = try terms.entries.serial(serial, in: list, to: target)
            }
            let step = EntryStep(
                relation: relation,
                serial: serial,
                target: target,
                from: isUndone ? to : from,
                to: isUndone ? from : to,
                number: count,
                isPassed: isPassed,
                isKnown: isKnown
            )
            try step.add(to: &sort, key: &key)
        }
        func addRow(_ body: UnsafeRawBufferPointer) throws {
            unsafe key.setEntity(model: terms?.model(event.model) ?? event.model, id: event.id)
            key.append(bigEndian: Self.rowMark)
            let room = try unsafe sort.add(key: key.bytes, valueByteCount: RowStep.byteCount(body))
            unsafe RowStep.write(event, body, flags, number: count, into: room)
        }
        if let part {
            var body = ByteWriter(capacity: part.byteCountMax)
            part.write(to: &body)
            return try unsafe addRow(body.bytes)
        }
        if event.type == .inserted || event.type == .updated { return try unsafe addRow(event.body) }
        switch try Change(event) {
        case .linked(let relation, let orderKey, let serial, let target):
            try addStep(relation, serial, unsafe [UInt8](target), from: nil, to: orderKey)
        case .unlinked(let relation, let orderKey, let serial, let target):
            try addStep(relation, serial, unsafe [UInt8](target), from: orderKey, to: nil)
        case .moved(let relation, let from, let to, let serial, let target):
            try addStep(relation, serial, unsafe [UInt8](target), from: from, to: to)
        case .deleted(let image):
            let row = image.withoutEntries(at: event.position)
            try unsafe row.withUnsafeBytes { try unsafe addRow($0) }
            if isPassed { return }
            for (relation, entry) in image.entries {
                try addStep(relation, entry.serial, entry.target, from: entry.orderKey, to: nil)
            }
        default: break
        }
    }

    /// What follows the entity in the key of an event of its row, and of what one does to an entry.
    private static let rowMark: UInt8 = 0
    private static let entryMark: UInt8 = 1

    /// Hands over what has become of each entity, by model and identifier; one of which nothing has become is left out.
    consuming func forEachDelta(_ body: (EntityDelta) throws -> Void) throws {
        let (upcaster, foreign, tellsKnownPlaces, makeFile) = (upcaster, foreign, tellsKnownPlaces, makeFile)
        var records = try sort.sorted()
        var key = KeyBuffer()
        /// What keys of the present entity begin with.
        var prefix: [UInt8] = []
        var composer: DeltaComposer?
        func finish() throws {
            guard let delta = try composer?.finish(), !delta.isEmpty else { return }
            try body(delta)
        }
        while try records.next() {
            let isSame = unsafe records.key.begins(with: prefix)
            if composer == nil || !isSame {
                try finish()
                let model = unsafe Workspace.modelNumber(of: records.key)
                var parser = unsafe KeyParser(records.key, skipping: 2)
                let entity = EntityKey(model: model, id: try parser.identifier())
                composer = DeltaComposer(entity, tellsKnownPlaces: tellsKnownPlaces, makeFile)
                key.setEntity(entity)
                prefix = unsafe [UInt8](key.bytes)
            }
            if unsafe records.key[prefix.count] == Self.entryMark {
                try unsafe composer?.add(EntryStep(key: records.key, value: records.value))
                continue
            }
            let step = unsafe RowStep(records.value)
            if step.flags & 4 != 0 {
                try composer?.pass(step.change(), number: step.number)
                continue
            }
            let terms = step.flags & 2 != 0 ? foreign : nil
            try composer?.add(
                step.change(),
                at: step.position,
                isUndone: step.flags & 1 != 0,
                isKnown: step.flags & 8 != 0,
                terms == nil ? upcaster : terms?.upcaster,
                terms
            )
        }
        try finish()
    }
}

/// An event of a row on its way through the sort, with what is to be known of it: the direction in which it is gone
/// through, the store that it is of, and whether it stays.
@safe
private struct RowStep {
    let flags: UInt8
    let position: UInt64
    let number: UInt64
    private let version: UInt32
    private let type: EventType
    private let body: UnsafeRawBufferPointer

    private static let headerByteCount = 22

    static func byteCount(_ body: UnsafeRawBufferPointer) -> Int { headerByteCount + body.count }

    static func write(
        _ event: EventView,
        _ body: UnsafeRawBufferPointer,
        _ flags: UInt8,
        number: UInt64,
        into room: UnsafeMutableRawPointer
    ) {
        unsafe room.storeBytes(of: event.position, as: UInt64.self)
        unsafe room.storeBytes(of: number, toByteOffset: 8, as: UInt64.self)
        unsafe room.storeBytes(of: event.version, toByteOffset: 16, as: UInt32.self)
        unsafe room.storeBytes(of: event.type.rawValue, toByteOffset: 20, as: UInt8.self)
        unsafe room.storeBytes(of: flags, toByteOffset: 21, as: UInt8.self)
        guard let source = body.baseAddress else { return }
        unsafe (room + headerByteCount).copyMemory(from: source, byteCount: body.count)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        position = unsafe bytes.loadUnaligned(as: UInt64.self)
        number = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        version = unsafe bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
        type = unsafe EventType(rawValue: bytes[20])
        flags = unsafe bytes[21]
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
    }

    func change() throws -> Change { try unsafe Change(type, version: version, at: position, body) }
}

extension Change.DeletedImage {
    /// The body of an event that tells of the row alone.
    fileprivate func withoutEntries(at position: UInt64) -> [UInt8] {
        var writer = unsafe ByteWriter(capacity: payload.count + 24)
        writer.varint(position - created)
        unsafe writer.varint(UInt64(payload.count))
        unsafe writer.bytes(payload)
        writer.varint(0)
        return unsafe [UInt8](writer.bytes)
    }
}

extension DeltaGathering {
    /// All of it, as a set.
    ///
    /// - Parameters:
    ///   - endConversions: what the rows at the end of the set do not have yet, by model.
    ///   - complete: adds to a delta what its events do not say.
    consuming func changeSet(
        home: ChangeHome,
        schema: CompiledSchema,
        makeFile: @escaping () throws(LMDBError) -> SpillFile,
        endConversions: [UInt16: [ConvertedAttribute]]?,
        readEnd: @escaping ChangeSet.EndReader,
        completing complete: (inout EntityDelta) throws -> Void = { _ in }
    ) throws -> ChangeSet {
        let records = DeltaRecords(makeFile: makeFile)
        var counts = ChangeSet.Counts()
        try forEachDelta { delta in
            var delta = delta
            try complete(&delta)
            if delta.isEmpty { return }
            try counts.add(delta)
            try records.append(delta)
        }
        return ChangeSet(
            home: home,
            schema: schema,
            counts: counts,
            records: records,
            endConversions: endConversions ?? [:],
            readEnd: readEnd
        )
    }
}
