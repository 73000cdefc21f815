internal import RepriseLMDB
internal import RepriseLog

/// Reads events that are older than a conversion as if they had been made behind it: upcasting (HIS-117).
///
/// An event that tells of an attribute that a conversion has read also tells of the attribute that the conversion has
/// made: with what the function makes of the row before the event, and of the row after it. The event that wrote what
/// the function had made tells nothing new.
final class EventUpcaster {
    /// What the events of a stretch of the log lack.
    private struct Stretch {
        /// By model.
        var known: [UInt16: [ConvertedAttribute]] = [:]
        /// Those whose function the program does not have.
        var unknown: [UInt16: [ConvertedAttribute]] = [:]
        var missing = UnconvertedAttributes()
    }

    /// Reads single events from all over the log.
    private let events: LogReader
    private let history: ConversionHistory
    private let converted: [ConvertedAttribute]
    /// All that conversions have made, what is gone by now included.
    private let places: [ConvertedSlot]
    private let turns: [UInt64]
    /// The commits that have declared the attributes and converted the rows.
    private let declarations: [ConvertedSlot: ClosedRange<UInt64>]
    /// The attributes in whose declarations code ran as well: what it wrote is a change.
    private var besideCode: [ConvertedSlot: ConvertedAttribute] = [:]
    /// Names a row in an error; nil where changes are only looked at, and what no function is known for stays as it is.
    private let refuse: ((EntityKey, ConvertedAttribute) -> StoreError)?
    /// The numbers of the events, where they are others than those of the schema.
    private let numbers: Renumbering?
    private var stretches: [Int: Stretch] = [:]

    /// - Parameters:
    ///   - log: of the events.
    ///   - events: the same log, for reading single events in any order.
    ///   - history: that of the same store, with the numbers of the schema.
    ///   - converted: what conversions have made in the schema in whose terms the events shall tell.
    ///   - places: all that conversions have made in that schema, what is gone by now included.
    ///   - refuse: makes the error where an event cannot be read because the program lacks the function; nil where
    ///     such an event is handed over as it is.
    ///   - numbers: those of the events, where they are others than those of the schema.
    init(
        _ log: LogReader,
        events: LogReader,
        _ history: ConversionHistory,
        _ converted: [ConvertedAttribute],
        places: [ConvertedSlot],
        refuse: ((EntityKey, ConvertedAttribute) -> StoreError)?,
        numbers: Renumbering?
    ) throws {
        (self.events, self.history, self.converted, self.places) = (events, history, converted, places)
        (self.refuse, self.numbers) = (refuse, numbers)
        turns = history.turns
        var declarations: [ConvertedSlot: ClosedRange<UInt64>] = [:]
        for place in places {
            guard let position = history.declaration(of: place), let commit = try log.commit(holding: position)
            else { continue }
            declarations[place] = commit.firstPosition...commit.lastPosition
            guard history.hasCode(at: position), let attribute = converted.first(where: { $0.place == place })
            else { continue }
            let then = attribute.reading(before: history.missing(places, at: position - 1))
            if then.planned != nil { besideCode[place] = then }
        }
        self.declarations = declarations
    }

    /// What the rows of a state do not have yet, by model, as far as functions are known.
    func conversions(behind position: UInt64) -> [UInt16: [ConvertedAttribute]] { stretch(at: position).known }

    /// A row that an event tells of as a whole, in the slots of the schema.
    func upcast(row payload: [UInt8], of entity: EntityKey, at position: UInt64) throws -> [UInt8] {
        let stretch = stretch(at: position)
        if let refuse, let unknown = stretch.unknown[entity.model] {
            for attribute in unknown where try isOld(payload, for: attribute) { throw refuse(entity, attribute) }
        }
        guard let missing = stretch.known[entity.model] else { return payload }
        return try missing.upcast(row: payload)
    }

    /// The changes that an event tells of, in the slots of the schema.
    ///
    /// - Returns: the changes, and the slots of those that a conversion has made, as far as that is not known already:
    ///   they tell nothing new unless older events have changed what the conversion has read.
    func upcast(
        _ changes: [SlotDelta],
        of entity: EntityKey,
        at position: UInt64
    ) throws -> (changes: [SlotDelta], made: Set<Int>) {
        let stretch = stretch(at: position)
        var (changes, made) = (changes, Set<Int>())
        for place in places where place.model == entity.model {
            guard let change = changes.firstIndex(where: { $0.slot == place.slot }), changes[change].from == nil
            else { continue }
            if stretch.missing.contains(place) {
                // What the function makes of the row before is looked at below.
                if stretch.known[place.model]?.contains(where: { $0.place == place }) == true { continue }
            } else {
                guard declarations[place]?.contains(position) == true else { continue }
                if let attribute = besideCode[place], let origins = attribute.planned?.firstOrigins {
                    changes[change].from = try attribute.value(of: row(before: position, changes, of: origins))
                    continue
                }
            }
            let isUnknown = converted.contains { $0.place == place && $0.planned == nil }
            if isUnknown { made.insert(place.slot) } else { changes[change].from = changes[change].to }
        }
        for attribute in stretch.unknown[entity.model] ?? [] where attribute.isMade(of: changes) {
            if let refuse { throw refuse(entity, attribute) }
            // Noted, so that the event of the conversion counts.
            if !changes.contains(where: { $0.slot == attribute.slot }) {
                changes.append(SlotDelta(slot: attribute.slot, from: nil, to: nil))
            }
        }
        if let missing = stretch.known[entity.model] {
            changes = try missing.upcast(changes) { try row(before: position, changes, of: $0) }
        }
        return (changes, made)
    }

    /// Removes what conversions have read from a change: it tells of what they have made of that.
    ///
    /// - Parameter schema: that of the store that the change is of, if it is another one: a row that comes from there
    ///   loses what it has in attributes that are not removed there yet.
    func removeOrigins(from delta: inout EntityDelta, of schema: CompiledSchema? = nil) throws {
        try converted.filter { $0.model == delta.entity.model && $0.planned != nil }
            .removeOrigins(from: &delta, of: schema?.description.model(delta.entity.model))
    }

    /// Whether a row has values that the conversion would have read, and not the one that it would have made.
    private func isOld(_ payload: [UInt8], for attribute: ConvertedAttribute) throws -> Bool {
        if try payload.rowSlot(attribute.slot) != nil { return false }
        return try attribute.origins.contains { try payload.rowSlot($0) != nil }
    }

    /// The row before an event that changes it, as far as it has some slots: what the event does not tell of, older
    /// events do.
    private func row(before position: UInt64, _ changes: [SlotDelta], of slots: [Int]) throws -> [UInt8] {
        var values = changes.map { $0.inverted() }
        var wanted = Set(slots).subtracting(changes.map(\.slot))
        var previous = wanted.isEmpty ? 0 : try events.event(at: position)?.previous ?? 0
        while previous > 0, !wanted.isEmpty, let event = try events.event(at: previous) {
            let model = numbers?.model(event.model) ?? event.model
            switch try Change(event) {
            case .inserted(let payload):
                var row = unsafe [UInt8](payload)
                if let numbers { row = try numbers.row(row, ofModel: model) }
                for slot in wanted {
                    if let value = try row.rowSlot(slot) { values.append(SlotDelta(slot: slot, from: nil, to: value)) }
                }
                wanted = []
            case .updated(let older):
                for change in older.slots {
                    let slot = numbers?.slot(change.slot, ofModel: model) ?? change.slot
                    guard wanted.remove(slot) != nil else { continue }
                    if let value = unsafe change.to.map({ unsafe [UInt8]($0) }) {
                        values.append(SlotDelta(slot: slot, from: nil, to: value))
                    }
                }
            default: break
            }
            previous = event.previous
        }
        return try DeltaComposer.row(of: values)
    }

    private func stretch(at position: UInt64) -> Stretch {
        var (low, high) = (0, turns.count)
        while low < high {
            let middle = (low + high) / 2
            if turns[middle] <= position { low = middle + 1 } else { high = middle }
        }
        if let known = stretches[low] { return known }
        var stretch = Stretch()
        stretch.missing = history.missing(places, at: position)
        for attribute in converted where stretch.missing.contains(attribute.place) {
            let then = attribute.reading(before: stretch.missing)
            if then.planned == nil {
                stretch.unknown[attribute.model, default: []].append(attribute)
            } else {
                stretch.known[attribute.model, default: []].append(then)
            }
        }
        stretches[low] = stretch
        return stretch
    }
}
