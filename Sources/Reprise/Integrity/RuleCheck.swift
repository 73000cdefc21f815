internal import RepriseLog

/// Derives the consequences of every recorded deletion anew, from the rules in force and the state before it, and
/// compares them with what was recorded (HIS-44).
final class RuleCheck {
    struct Fault {
        let place: String
        let message: String
    }

    private struct Expected: Equatable {
        let type: EventType
        let entity: EntityKey
        let cause: UInt64
    }

    private(set) var faults: [Fault] = []
    private var expected: ArraySlice<Expected> = []
    private var root: UInt64 = 0
    /// The rules in force at the event that is looked at.
    private var rules: CompiledSchema?

    /// Looks at an event and the state before it.
    func check(_ event: EventView, _ workspace: Workspace) throws {
        if let next = expected.first {
            let found = Expected(
                type: event.type,
                entity: unsafe EntityKey(model: event.model, id: event.id),
                cause: event.cause
            )
            if found == next {
                expected = expected.dropFirst()
                return
            }
            report(
                "The event at position \(event.position) is not the consequence that the rules lead to."
            )
        }
        if event.type == .schemaDeclared {
            rules = CompiledSchema(
                try unsafe SchemaDescription(inLog: event.body),
                position: event.position,
                number: 0
            )
        }
        guard event.type == .deleted, event.cause == 0 else { return }
        try derive(event, workspace)
    }

    /// Says that the log is over.
    func finish() {
        if !expected.isEmpty { report("Consequences of the last deletion are missing.") }
    }

    private func derive(_ event: EventView, _ workspace: Workspace) throws {
        root = event.position
        let planner = DeletionPlanner(workspace: workspace, rules: rules)
        let outcome = try planner.outcome(of: unsafe EntityKey(model: event.model, id: event.id))
        if !outcome.denials.isEmpty {
            report("The deletion at position \(root) is one that the rules deny.")
            return
        }
        var all: [Expected] = []
        func position(_ index: Int) -> UInt64 { root + UInt64(index) }
        for (index, element) in outcome.deleted.enumerated() where index > 0 {
            all.append(
                Expected(type: .deleted, entity: element.entity, cause: position(element.cause))
            )
        }
        for element in outcome.nullified {
            all.append(
                Expected(type: .updated, entity: element.entity, cause: position(element.cause))
            )
        }
        for element in outcome.unlinked {
            all.append(
                Expected(
                    type: .unlinked,
                    entity: element.list.owner,
                    cause: position(element.cause)
                )
            )
        }
        expected = all[...]
    }

    private func report(_ message: String) {
        expected = []
        if faults.count < VerificationReport.faultCountMax {
            faults.append(Fault(place: "position \(root)", message: message))
        }
    }
}
