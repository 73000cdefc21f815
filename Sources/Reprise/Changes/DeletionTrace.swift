internal import RepriseLMDB
internal import RepriseLog

/// What a commit that has deleted an entity has done because of that.
struct DeletionTrace {
    /// What an event has done because of the deletion.
    enum Part {
        /// All that it did.
        case all
        /// It has emptied these to-ones.
        case slots(SlotChanges)
        /// Nothing. Another event has done something to its entity: this one stays.
        case passed
    }

    private let entity: EntityKey
    private let position: UInt64
    private let positions: ClosedRange<UInt64>
    /// The to-ones that can lead to the entity, by the models that have them. The other side of a one-to-one is not
    /// among them: it follows from what the entity itself says.
    private let slots: [UInt16: Set<Int>]
    /// The many-to-many lists that can lead there.
    private let relations: Set<UInt16>
    /// The deletion and what followed from it.
    private var consequences: Set<UInt64>
    /// Hashes of the other entities to which something was done.
    private var users: Set<UInt64> = []
    /// Those of them that were deleted as well, for another reason.
    private var gone: Set<UInt64> = []
    /// Hashes of the to-ones that the commit itself has let lead to the entity.
    private var made: Set<UInt64> = []
    /// The position of the last event of the entity before the deletion.
    private(set) var previous: UInt64 = 0

    init(
        of entity: EntityKey,
        at position: UInt64,
        _ schema: CompiledSchema,
        _ positions: ClosedRange<UInt64>
    ) {
        (self.entity, self.position, self.positions) = (entity, position, positions)
        var slots: [UInt16: Set<Int>] = [:]
        var relations: Set<UInt16> = []
        for model in schema.allModels {
            for reference in model.references where reference.targetModel == entity.model {
                slots[model.number, default: []].insert(reference.slot)
            }
            for end in model.ownedLists where end.other.model == entity.model {
                relations.insert(end.relation.number)
            }
        }
        (self.slots, self.relations) = (slots, relations)
        consequences = [position]
    }

    /// Takes an event of the commit. The oldest comes first: a cause comes before what it leads to.
    mutating func note(_ event: EventView) throws {
        try noteMade(event)
        if event.position == position {
            previous = event.previous
        } else if consequences.contains(event.cause) {
            consequences.insert(event.position)
            users.insert(Self.hash(of: event))
        } else if try loss(event) != nil {
            users.insert(Self.hash(of: event))
        } else if event.type == .deleted, users.contains(Self.hash(of: event)) {
            gone.insert(Self.hash(of: event))
        }
    }

    /// Notes the to-ones that an event lets lead to the entity.
    private mutating func noteMade(_ event: EventView) throws {
        guard event.position < position, let slots = slots[event.model] else { return }
        switch event.type {
        case .inserted:
            guard case .inserted(let payload) = try Change(event) else { return }
            let row = try unsafe RowPayload(payload)
            for slot in slots {
                if unsafe leadsThere(row.slot(slot)) { made.insert(Self.hash(of: event, slot)) }
            }
        case .updated:
            guard case .updated(let changes) = try Change(event) else { return }
            for change in changes.slots where slots.contains(change.slot) {
                if unsafe leadsThere(change.to) { made.insert(Self.hash(of: event, change.slot)) }
            }
        default: break
        }
    }

    private func leadsThere(_ slot: UnsafeRawBufferPointer?) -> Bool {
        guard let slot = unsafe slot else { return false }
        return unsafe slot.dropFirst(ReferencePlace.keyByteCount).elementsEqual(entity.id)
    }

    /// Whether the commit has deleted another entity for another reason.
    func hasDeleted(_ other: EntityKey) -> Bool {
        !gone.isEmpty && gone.contains(unsafe other.id.withUnsafeBytes { unsafe Self.hash(of: $0, other.model) })
    }

    /// What an event has done because of the deletion, when all were noted; nil where it is of no matter.
    func part(_ event: EventView) throws -> Part? {
        if consequences.contains(event.position) { return .all }
        if isOfEntity(event) || !users.contains(Self.hash(of: event)) { return nil }
        if let loss = try loss(event) { return loss }
        return event.type == .deleted ? nil : .passed
    }

    /// How an event before the deletion has had another entity lead there no more; nil where it has not.
    private func loss(_ event: EventView) throws -> Part? {
        guard event.position < position, event.cause == 0, !isOfEntity(event) else { return nil }
        switch event.type {
        case .unlinked:
            guard case .unlinked(let relation, _, let serial, let target) = try Change(event) else { return nil }
            let leadsThere = unsafe relations.contains(relation) && target.elementsEqual(entity.id)
            // An entry that the commit itself has made is no loss.
            return leadsThere && !positions.contains(serial) ? .all : nil
        case .updated:
            guard let slots = slots[event.model], case .updated(let changes) = try Change(event) else { return nil }
            let lost = changes.slots.filter { change in
                guard unsafe change.to == nil, slots.contains(change.slot), unsafe leadsThere(change.from) else {
                    return false
                }
                // What the commit itself has made is no loss.
                return !made.contains(Self.hash(of: event, change.slot))
            }
            return lost.isEmpty ? nil : .slots(SlotChanges(lost))
        default: return nil
        }
    }

    private func isOfEntity(_ event: EventView) -> Bool {
        unsafe event.model == entity.model && event.id.elementsEqual(entity.id)
    }

    private static func hash(of event: EventView) -> UInt64 { unsafe hash(of: event.id, event.model) }

    private static func hash(of event: EventView, _ slot: Int) -> UInt64 {
        unsafe XXH64.hash(event.id, seed: UInt64(event.model) | UInt64(slot + 1) << 16)
    }

    private static func hash(of id: UnsafeRawBufferPointer, _ model: UInt16) -> UInt64 {
        unsafe XXH64.hash(id, seed: UInt64(model))
    }
}
