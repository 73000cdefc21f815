internal import RepriseLog

/// Which events can change what a query shows. It may name too many, never too few (LIV-05).
struct LiveRegion: Sendable {
    /// Of which entities a kind of event matters.
    enum Matter: Int, Sendable, Comparable {
        case none, members, all

        static func < (left: Matter, right: Matter) -> Bool { left.rawValue < right.rawValue }
    }

    /// What matters of one model.
    struct Part: Sendable {
        /// The identifiers that are shown.
        var members: Set<[UInt8]> = []
        var insertions = Matter.none
        var deletions = Matter.none
        /// Changes of the lists that an entity owns.
        var entries = Matter.none
        /// Changes of any attribute.
        var updates = Matter.none
        /// Attributes whose change matters whatever the entity.
        var slots: Set<Int> = []
    }

    /// By the number of the model.
    private(set) var parts: [UInt16: Part] = [:]

    mutating func change(_ model: UInt16, _ body: (inout Part) -> Void) {
        body(&parts[model, default: Part()])
    }

    /// Whether an event can change what is shown. O(1), and O(attributes that changed) for an update.
    func isTouched(by event: borrowing EventView) throws -> Bool {
        switch event.type {
        case .rolledBack, .schemaDeclared: return true
        case .snapshotCreated, .snapshotDeleted, .annotated: return false
        // Those of applications are no part of the state; others come from a newer version, and who looks is told.
        case let type where type.rawValue > EventType.annotated.rawValue:
            return type.rawValue < EventType.firstDomainEvent.rawValue
        default: break
        }
        guard let part = parts[event.model] else { return false }
        switch event.type {
        case .inserted: return part.isTouched(part.insertions, event)
        case .deleted: return part.isTouched(part.deletions, event)
        case .linked, .unlinked, .moved: return part.isTouched(part.entries, event)
        case .updated:
            if part.isTouched(part.updates, event) { return true }
            guard case .updated(let changes) = try Change(event) else { return true }
            return changes.slots.contains { part.slots.contains($0.slot) }
        default: return true
        }
    }
}

extension LiveRegion.Part {
    fileprivate func isTouched(_ matter: LiveRegion.Matter, _ event: borrowing EventView) -> Bool {
        switch matter {
        case .none: false
        case .members: members.contains(unsafe [UInt8](event.id))
        case .all: true
        }
    }
}
