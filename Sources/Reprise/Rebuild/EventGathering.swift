internal import RepriseLMDB
internal import RepriseLog

/// Goes through the log once and sorts what it says by entity, by list entry and by label.
struct EventGathering: ~Copyable {
    /// The events of each entity where they lie in the mapped log; none where events are copied.
    var inPlaceEntities: EventOrder
    /// Copies of the events of each entity, by the key of its row.
    var entities: ExternalSort
    /// What happened to the entries of many-to-many lists, by the key of the entry.
    var entries: ExternalSort
    /// What became of labels, by their keys; of several changes of one, the last one holds.
    var labels: ExternalSort
    /// How many live events there are.
    private(set) var liveCount = 0
    private(set) var rollbacks: [(at: UInt64, to: UInt64)] = []
    /// Why the first of the live events that cannot be folded cannot. Not thrown at once, because a rollback further on
    /// may show that it is not alive.
    private(set) var refusal: StoreError?

    private let inPlace: Bool
    private let takesLabels: Bool
    private let live: [ClosedRange<UInt64>]
    private var liveIndex = 0
    private var label = PendingLabels()
    private var key = KeyBuffer()

    /// - Parameters:
    ///   - live: the positions whose events count, ascending.
    ///   - inPlace: whether events stay in the mapped log, see ``EventOrder``.
    ///   - takesLabels: whether labels and rollbacks are wanted, too.
    init(
        live: [ClosedRange<UInt64>],
        inPlace: Bool,
        takesLabels: Bool = true,
        memoryByteCount: Int,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.live = live
        self.inPlace = inPlace
        self.takesLabels = takesLabels
        let liveCount = live.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) }
        inPlaceEntities = EventOrder(eventCountMax: inPlace ? Int(clamping: liveCount) : 0)
        // Nearly all that most logs hold is about entities.
        entities = ExternalSort(memoryByteCount: memoryByteCount / 8 * 5, makeFile: makeFile)
        entries = ExternalSort(memoryByteCount: memoryByteCount / 8 * 2, makeFile: makeFile)
        labels = ExternalSort(memoryByteCount: memoryByteCount / 8, makeFile: makeFile)
    }

    /// Takes all events of a block.
    mutating func add(_ block: BlockView) throws {
        var cursor = block.events()
        while let event = try cursor.next() {
            if takesLabels, event.type.rawValue >= EventType.schemaDeclared.rawValue {
                try addLabel(of: event, time: block.timeMicroseconds)
                if case .rolledBack(let target) = try Change(event) {
                    rollbacks.append((event.position, target))
                }
            }
            guard isAlive(event.position) else { continue }
            liveCount += 1
            // Others belong to no entity, or are not known to this version and passed over (HIS-45).
            if event.type.rawValue <= EventType.moved.rawValue { try add(event) }
        }
    }

    /// Adds a label that the log does not have yet.
    mutating func add(label key: [UInt8], _ value: [UInt8]) throws {
        label.set(key, to: value)
        try addLabels()
    }

    private mutating func addLabel(of event: EventView, time: Int64) throws {
        try label.fold(event, time: time)
        try addLabels()
    }

    private mutating func addLabels() throws {
        for (key, value) in label.changes {
            try unsafe key.withUnsafeBytes { key in
                let count = SortedLabel.byteCount(of: value)
                let room = try unsafe labels.add(key: key, valueByteCount: count)
                unsafe SortedLabel.write(value, into: room)
            }
        }
        label.removeAll()
    }

    private mutating func add(_ event: EventView) throws {
        do {
            try Change.checkVersion(of: event)
        } catch {
            if refusal == nil { refusal = error }
            return
        }
        if inPlace {
            inPlaceEntities.add(event)
        } else {
            unsafe key.setRow(model: event.model, id: event.id)
            // Of its deletion, and of events about list entries, the entity only needs the position.
            let withBody = event.type.rawValue < EventType.deleted.rawValue
            let room = try unsafe entities.add(
                key: key.bytes,
                valueByteCount: GatheredEvent.byteCount(of: event, withBody: withBody)
            )
            unsafe GatheredEvent.write(event, withBody: withBody, into: room)
        }
        guard event.type.rawValue >= EventType.deleted.rawValue else { return }
        try addEntries(of: event)
    }

    /// Notes what an event does to entries of many-to-many lists.
    private mutating func addEntries(of event: EventView) throws {
        switch try Change(event) {
        case .linked(let relation, let orderKey, let serial, let target):
            unsafe key.setEdge(relation: relation, owner: event.id, orderKey: orderKey)
            try unsafe addEntry(serial: serial, target)
        case .unlinked(let relation, let orderKey, _, _):
            unsafe key.setEdge(relation: relation, owner: event.id, orderKey: orderKey)
            try addRemoval()
        case .moved(let relation, let from, let to, let serial, let target):
            unsafe key.setEdge(relation: relation, owner: event.id, orderKey: from)
            try addRemoval()
            unsafe key.setEdge(relation: relation, owner: event.id, orderKey: to)
            try unsafe addEntry(serial: serial, target)
        case .deleted(let image):
            for (relation, entry) in image.entries {
                unsafe key.setEdge(relation: relation, owner: event.id, orderKey: entry.orderKey)
                try addRemoval()
            }
        default: break
        }
    }

    private mutating func addEntry(serial: UInt64, _ target: UnsafeRawBufferPointer) throws {
        let byteCount = SortedEntry.byteCount(targetByteCount: target.count)
        let room = try unsafe entries.add(key: key.bytes, valueByteCount: byteCount)
        unsafe SortedEntry.write(.linked, serial: serial, target, into: room)
    }

    private mutating func addRemoval() throws {
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        let byteCount = SortedEntry.byteCount(targetByteCount: 0)
        let room = try unsafe entries.add(key: key.bytes, valueByteCount: byteCount)
        unsafe SortedEntry.write(.removed, serial: 0, none, into: room)
    }

    private mutating func isAlive(_ position: UInt64) -> Bool {
        while liveIndex < live.count, live[liveIndex].upperBound < position { liveIndex += 1 }
        return liveIndex < live.count && live[liveIndex].lowerBound <= position
    }
}

/// What became of one place in one list, on its way through a sort; of several, the last one holds.
@safe
struct SortedEntry {
    enum Kind: UInt64 {
        /// An entry of a many-to-many list, with an identity of its own.
        case linked
        /// An entry that follows from a reference in a row.
        case referenced
        case removed
    }

    let kind: Kind
    let serial: UInt64
    let target: UnsafeRawBufferPointer

    static func byteCount(targetByteCount: Int) -> Int { 16 + targetByteCount }

    static func write(
        _ kind: Kind,
        serial: UInt64,
        _ target: UnsafeRawBufferPointer,
        into room: UnsafeMutableRawPointer
    ) {
        unsafe room.storeBytes(of: kind.rawValue, as: UInt64.self)
        unsafe room.storeBytes(of: serial, toByteOffset: 8, as: UInt64.self)
        if let source = target.baseAddress {
            unsafe (room + 16).copyMemory(from: source, byteCount: target.count)
        }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        kind = Kind(rawValue: unsafe bytes.loadUnaligned(as: UInt64.self)) ?? .removed
        serial = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        unsafe target = UnsafeRawBufferPointer(rebasing: bytes[16...])
    }
}

/// What a label holds on its way through a sort: a byte that tells whether it is there, and its value.
enum SortedLabel {
    static func byteCount(of value: [UInt8]?) -> Int { 1 + (value?.count ?? 0) }

    static func write(_ value: [UInt8]?, into room: UnsafeMutableRawPointer) {
        unsafe room.storeBytes(of: value == nil ? 0 : 1, as: UInt8.self)
        guard let value else { return }
        unsafe value.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe (room + 1).copyMemory(from: source, byteCount: bytes.count)
        }
    }

    static func read(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        unsafe bytes.first == 1 ? [UInt8](bytes.dropFirst()) : nil
    }
}
