/// What becomes of one entity between two states, in the bytes of the log.
struct EntityDelta {
    let entity: EntityKey
    var row: RowDelta
    /// What becomes of the entries of its own many-to-many lists, by relation and serial.
    var entries: EntryDeltas
    /// Whether other events have inserted or deleted the entity in between: of changes that are not all of a stretch of
    /// the log, some may contradict each other.
    var isInterrupted = false
    /// Where entries of another store stand there, among which others.
    var neighbours = PackedList<ListNeighbours>()

    /// Whether nothing becomes of it.
    var isEmpty: Bool {
        if case .same = row { entries.isEmpty } else { false }
    }

    /// Removes values that are the same in the end, whatever came in between.
    mutating func removeUnchanged() {
        guard case .updated(let slots) = row else { return }
        let changed = slots.filter { $0.from != $0.to }
        row = changed.isEmpty ? .same : .updated(changed)
    }

    /// Removes changes to the same, which tell what is known, but for places in lists.
    ///
    /// - Parameter model: the model as ours has it; nil where it does not.
    mutating func removeKnown(_ model: CompiledModel?) throws {
        try entries.removeAll { entry in
            entry.from == entry.to && !(model?.ownedLists.contains { $0.relation.number == entry.relation } ?? false)
        }
        guard case .updated(let slots) = row else { return }
        let told = slots.filter { slot in
            slot.from != slot.to || slot.isInterrupted
                || model?.references.contains { $0.slot == slot.slot } ?? false
        }
        row = told.isEmpty ? .same : .updated(told)
    }

    /// The way back.
    func inverted() -> EntityDelta {
        EntityDelta(
            entity: entity,
            row: row.inverted(),
            entries: entries.inverted(),
            isInterrupted: isInterrupted
        )
    }
}

/// What becomes of a row.
enum RowDelta {
    /// Nothing.
    case same
    /// It appears, with this payload.
    case inserted([UInt8])
    /// Some of its slots change, ascending.
    case updated([SlotDelta])
    /// It goes, and had this payload.
    case deleted([UInt8])

    func inverted() -> RowDelta {
        switch self {
        case .same: .same
        case .inserted(let payload): .deleted(payload)
        case .updated(let slots): .updated(slots.map { $0.inverted() })
        case .deleted(let payload): .inserted(payload)
        }
    }
}

/// What becomes of one slot of a row.
struct SlotDelta {
    let slot: Int
    var from: [UInt8]?
    var to: [UInt8]?
    /// Whether another event has changed the slot in between.
    var isInterrupted = false

    func inverted() -> SlotDelta {
        SlotDelta(slot: slot, from: to, to: from, isInterrupted: isInterrupted)
    }
}

/// What becomes of one entry of a many-to-many list.
struct EntryDelta {
    let relation: UInt16
    let serial: UInt64
    let target: [UInt8]
    /// Where it stood; nil where it was not in the list.
    var from: UInt64?
    /// Where it stands; nil where it is not in the list.
    var to: UInt64?

    /// The serial of an entry that gets its own when it is made.
    static let newSerial: UInt64 = 0

    /// Whether it is of the entry that stands somewhere. A store and a copy of it may have given one serial to entries
    /// that lead to different rows.
    func isSame(as other: ListEntry) -> Bool { serial == other.serial && target == other.target }

    /// As ``ListEntry/identity``.
    var identity: UInt64 { ListEntry(orderKey: 0, serial: serial, target: target).identity }

    func inverted() -> EntryDelta {
        EntryDelta(relation: relation, serial: serial, target: target, from: to, to: from)
    }
}
