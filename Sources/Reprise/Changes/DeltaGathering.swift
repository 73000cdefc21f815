internal import RepriseLMDB
internal import RepriseLog

/// Finds what the events between two states come to, entity by entity: they are sorted by entity, outside of memory
/// where they are many, and those of one entity are put together.
struct DeltaGathering: ~Copyable {
    static let memoryByteCount = 24 << 20

    private var sort: ExternalSort
    private var key = KeyBuffer()
    /// Reads older events of this store in the terms of the present schema; nil where nothing was converted.
    private let upcaster: EventUpcaster?
    private let foreign: ForeignTerms?

    /// - Parameters:
    ///   - upcaster: reads older events of this store; nil where nothing was converted.
    ///   - foreign: how events of another store are said here; nil where there are none.
    init(
        _ upcaster: EventUpcaster?,
        foreign: ForeignTerms? = nil,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.upcaster = upcaster
        self.foreign = foreign
        sort = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
    }

    /// Takes the next event on the way from one state to the other.
    ///
    /// - Parameters:
    ///   - isUndone: whether the way leads from after the event to before it.
    ///   - isForeign: whether it is of another store.
    ///   - isPassed: whether it stays: older events of the entity have no say in what it has changed.
    mutating func add(
        _ event: EventView,
        isUndone: Bool,
        isForeign: Bool = false,
        isPassed: Bool = false
    ) throws {
        try Change.checkVersion(of: event)
        guard event.type.rawValue <= EventType.moved.rawValue else { return }
        let model = isForeign ? foreign?.model(event.model) ?? event.model : event.model
        unsafe key.setRow(model: model, id: event.id)
        let room = try unsafe sort.add(key: key.bytes, valueByteCount: GatheredStep.byteCount(of: event))
        let flags: UInt8 = (isUndone ? 1 : 0) | (isForeign ? 2 : 0) | (isPassed ? 4 : 0)
        unsafe GatheredStep.write(event, flags, into: room)
    }

    /// Hands over what has become of each entity, by model and identifier; one of which nothing has become is left out.
    consuming func forEachDelta(_ body: (EntityDelta) throws -> Void) throws {
        let (upcaster, foreign) = (upcaster, foreign)
        var records = try sort.sorted()
        var key: [UInt8] = []
        var composer: DeltaComposer?
        func finish() throws {
            guard let delta = try composer?.finish(), !delta.isEmpty else { return }
            try body(delta)
        }
        while try records.next() {
            let isSame = unsafe records.key.elementsEqual(key)
            if composer == nil || !isSame {
                try finish()
                key = unsafe [UInt8](records.key)
                let model = UInt16(key[0]) << 8 | UInt16(key[1])
                composer = DeltaComposer(EntityKey(model: model, id: Array(key.dropFirst(2))))
            }
            let step = unsafe GatheredStep(records.value)
            if step.flags & 4 != 0 {
                try composer?.pass(step.change())
                continue
            }
            let terms = step.flags & 2 != 0 ? foreign : nil
            try composer?.add(
                step.change(),
                at: step.position,
                isUndone: step.flags & 1 != 0,
                terms == nil ? upcaster : terms?.upcaster,
                terms
            )
        }
        try finish()
    }
}

/// An event on its way through the sort, with what is to be known of it: the direction in which it is gone
/// through, the store that it is of, and whether it stays.
@safe
private struct GatheredStep {
    let flags: UInt8
    let position: UInt64
    private let version: UInt32
    private let type: EventType
    private let body: UnsafeRawBufferPointer

    private static let headerByteCount = 14

    static func byteCount(of event: EventView) -> Int { unsafe headerByteCount + event.body.count }

    static func write(_ event: EventView, _ flags: UInt8, into room: UnsafeMutableRawPointer) {
        unsafe room.storeBytes(of: event.position, as: UInt64.self)
        unsafe room.storeBytes(of: event.version, toByteOffset: 8, as: UInt32.self)
        unsafe room.storeBytes(of: event.type.rawValue, toByteOffset: 12, as: UInt8.self)
        unsafe room.storeBytes(of: flags, toByteOffset: 13, as: UInt8.self)
        guard let source = unsafe event.body.baseAddress else { return }
        unsafe (room + headerByteCount).copyMemory(from: source, byteCount: event.body.count)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        position = unsafe bytes.loadUnaligned(as: UInt64.self)
        version = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        type = unsafe EventType(rawValue: bytes[12])
        flags = unsafe bytes[13]
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
    }

    func change() throws -> Change { try unsafe Change(type, version: version, at: position, body) }
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
            counts.add(delta)
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
