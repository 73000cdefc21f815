internal import RepriseLog

/// Sorts events by entity without copying them: only where they lie in the mapped log is sorted.
///
/// Faster than copies as long as the log fits into memory; a larger one is better read front to back.
struct EventOrder: ~Copyable {
    /// How many bytes one event takes at the most: those of its model are being sorted, or move to a larger array. Room
    /// that is not used yet is not counted.
    static let eventByteCount = 2 * MemoryLayout<KeySort.Item>.stride
    /// Positions up to here can be sorted.
    static let positionMax = UInt64(UInt32.max)

    /// How many events there may be, of all models.
    private let eventCountMax: Int
    private var models: [ModelEvents] = []
    /// The model of the last event.
    private var recent: ModelEvents?

    init(eventCountMax: Int) {
        self.eventCountMax = eventCountMax
    }

    /// Takes an event of an entity, whose bytes stay where they are until all is folded.
    mutating func add(_ event: borrowing EventView) {
        guard let id = unsafe event.id.baseAddress else { return }
        if let recent, recent.number == event.model {
            return unsafe recent.add(event, id)
        }
        let number = event.model
        if let known = models.first(where: { $0.number == number }) {
            recent = known
            return unsafe known.add(event, id)
        }
        // In most large logs nearly all is about one model, and most often it is the one that comes first. Room that is
        // not used is not touched and costs nothing; to grow means to copy to memory that is fresh.
        let model = ModelEvents(
            number,
            capacity: models.isEmpty ? eventCountMax : 0,
            capacityMax: eventCountMax
        )
        models.append(model)
        recent = model
        unsafe model.add(event, id)
    }

    /// The events of each model, the models in the order of their numbers.
    consuming func sorted() -> [ModelEvents] {
        models.sorted { $0.number < $1.number }
    }
}

/// The events of one model's entities.
@safe
final class ModelEvents {
    let number: UInt16
    /// In memory of its own: a property's exclusive use would be checked for each event.
    private let sort: UnsafeMutablePointer<KeySort>
    /// The least room, and by how much it grows: a large model is copied a few times at the most, and a small one among
    /// thousands takes little of the address space.
    private static let capacityMin = 64
    private static let growth = 16
    private let capacityMax: Int

    /// - Parameters:
    ///   - capacity: how many events there is room for at first.
    ///   - capacityMax: how many there may be.
    init(_ number: UInt16, capacity: Int, capacityMax: Int) {
        self.number = number
        self.capacityMax = capacityMax
        unsafe sort = .allocate(capacity: 1)
        unsafe sort.initialize(to: KeySort(capacity: capacity))
    }

    deinit {
        unsafe sort.deinitialize(count: 1)
        unsafe sort.deallocate()
    }

    func add(_ event: borrowing EventView, _ id: UnsafeRawPointer) {
        if unsafe sort.pointee.isFull { grow() }
        unsafe sort.pointee.add(
            id,
            count: event.id.count,
            mark: UInt8(event.idOffset),
            index: Int(event.position)
        )
    }

    @inline(never)
    private func grow() {
        let count = unsafe sort.pointee.count
        let wanted = max(Self.capacityMin, count * Self.growth)
        // Never less than the next event needs, should more come than were announced.
        unsafe sort.pointee.reserve(max(count + 1, min(wanted, capacityMax)))
    }

    /// How many events there is room for.
    var capacity: Int { unsafe sort.pointee.capacity }

    /// The events, entity after entity, each entity's in the order of the log; once.
    ///
    /// - Parameters:
    ///   - stretchCount: about how many events there are in a stretch; all of an entity are in the same.
    ///   - mayShare: whether a second thread may sort half of them.
    func sorted(stretchCount: Int, mayShare: Bool) -> [EventStretch] {
        var full = KeySort(capacity: 0)
        unsafe swap(&full, &sort.pointee)
        let items = full.sortedItems(mayShare: mayShare)
        return EventStretch.all(of: number, items, eventCount: stretchCount)
    }
}

/// Hands out sorted events from where they lie in the log.
@safe
struct SortedEvents: ~Copyable {
    private static let lookAheadCount = 32
    private static let lineByteCount = 64
    /// Of long events, the rest comes while their beginning is worked on.
    private static let touchedByteCountMax = 1024

    private let items: [KeySort.Item]
    private var place: Int
    private let end: Int
    /// What was looked at ahead of its time; kept so that looking is not left out.
    private var touched: UInt8 = 0

    init(_ items: [KeySort.Item], in range: Range<Int>) {
        self.items = items
        place = range.lowerBound
        end = range.upperBound
    }

    /// The next event, or nil after the last.
    mutating func next() throws(LogError) -> EventView? {
        guard place < end else { return nil }
        if place % Self.lookAheadCount == 0 { lookAhead() }
        let item = items[place]
        place += 1
        return try unsafe EventView(
            withIDAt: item.key,
            idOffset: Int(item.mark),
            position: UInt64(item.index)
        )
    }

    /// Looks at the events that are next. They lie all over the log: one by one, each of them is waited for; looked at
    /// in a row, they are fetched at the same time.
    private mutating func lookAhead() {
        let ahead = place..<min(end, place + Self.lookAheadCount)
        var seen: UInt8 = 0
        for place in ahead {
            let item = items[place]
            unsafe seen ^= (item.key - Int(item.mark)).load(as: UInt8.self)
        }
        for place in ahead {
            let item = items[place]
            let start = unsafe item.key - Int(item.mark)
            let byteCount = unsafe min(EventView.byteCount(at: start), Self.touchedByteCountMax)
            var offset = Self.lineByteCount
            while offset < byteCount {
                unsafe seen ^= start.load(fromByteOffset: offset, as: UInt8.self)
                offset += Self.lineByteCount
            }
        }
        touched ^= seen
    }
}
