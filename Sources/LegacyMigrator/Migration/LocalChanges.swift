import Reprise

/// What somebody else has written of a row's attributes since the source did, and what that had written.
struct LocalChanges {
    /// The attributes that somebody else has written last.
    private var local: Set<String> = []
    /// Those that somebody else has written at all since the source did, be it that what they named was deleted.
    private var touched: Set<String> = []
    /// What the source has written last, or has come to say as somebody else had written it.
    private var said: [String: Value] = [:]
    /// What somebody else has written of the attributes that nobody has written since.
    private var standing: [String: Value] = [:]

    /// - Parameters:
    ///   - names: the attributes that are asked about.
    ///   - limit: how many events of the row are looked at, from the last one back.
    init<State: StateReading & ~Copyable>(
        of row: EntityReference,
        to names: Set<String>,
        amongLast limit: Int = MigrationPass.changeCountMax,
        _ pass: MigrationPass,
        in state: borrowing State
    ) throws {
        var agreed: [String: Position] = [:]
        for name in names { agreed[name] = try pass.agreements.position(of: row, name) }
        let gone = try pass.agreements.position(of: row, Agreements.wholeRow)
        var unknown = names
        var emptied: Set<String> = []
        // Those of which it is known who has written them last.
        var isTold: Set<String> = []
        var leftCount = limit
        try state.forEachEvent(of: row) { event in
            leftCount -= 1
            // The source had come to say that there is no such row: it had said nothing of this one.
            if let gone, event.position <= gone { return false }
            if pass.isOwnDeletion(event) { return false }
            let isOurs = pass.isOurs(event.position)
            for (name, value) in Self.written(event, among: unknown, pass.widenings) {
                let isAgreed = agreed[name].map { event.position <= $0 } ?? false
                if isOurs || isAgreed {
                    isTold.insert(name)
                    if event.cause != nil, !isAgreed {
                        // It is part of the run: what is written first makes no difference.
                        if event.position.rawValue >= pass.firstPosition { continue }
                        // Whether it was the source's to be emptied is told by who had written it before.
                        if value.isNull {
                            emptied.insert(name)
                            continue
                        }
                    }
                    said[name] = emptied.contains(name) ? .null : value
                    unknown.remove(name)
                } else {
                    touched.insert(name)
                    if try !(value.isNull && pass.isUndone(event, in: state)) {
                        emptied.remove(name)
                        local.insert(name)
                        if isTold.insert(name).inserted { standing[name] = value }
                    }
                }
            }
            return !unknown.isEmpty && leftCount > 0
        }
        // What the source had said may be further back: that it says something else now is not known.
        if leftCount <= 0 { touched.subtract(unknown) }
    }

    /// Whether somebody else has written an attribute after the source. That a row which a to-one led to was deleted is
    /// no change of the row that had it.
    func isLocal(_ name: String) -> Bool { local.contains(name) }

    /// Whether an attribute has something that somebody else has written, and the source had said something else: what
    /// was set back to that is nobody's work, nor is what the source has written over, or emptied by what it did to
    /// other rows.
    var hasStanding: Bool {
        standing.contains { said[$0.key] != $0.value }
    }

    /// Whether the source has said of an attribute what the export says now.
    func hasSaid(_ value: Value, of name: String) -> Bool { said[name] == value }

    /// Whether an export that says of an attribute what the store has says something new: somebody else has written it,
    /// and the source had said something else, or nothing.
    func hasComeToSay(_ value: Value, of name: String) -> Bool {
        touched.contains(name) && !hasSaid(value, of: name)
    }

    /// What an event has written, of the attributes that are asked about, in the type that they have now. That a row
    /// moved in a list is no change of it, nor that the store has widened its values.
    private static func written(
        _ event: EventRecord,
        among names: Set<String>,
        _ widenings: Widenings
    ) -> [(name: String, value: Value)] {
        let types = event.entity.flatMap { widenings.types[$0.model] } ?? [:]
        func widened(_ value: Value, _ name: String) -> Value {
            types[name].flatMap { Widening.value(value, as: $0) } ?? value
        }
        switch event.type {
        case "inserted":
            var values: [String: Value] = [:]
            for change in event.changes { values[change.name] = widened(change.to, change.name) }
            return names.map { ($0, values[$0] ?? .null) }
        case "updated":
            let isNeutral = !types.isEmpty && widenings.positions.contains(event.position)
            return event.changes.compactMap { change in
                guard names.contains(change.name), change.from != change.to, !isNeutral || types[change.name] == nil
                else { return nil }
                return (change.name, widened(change.to, change.name))
            }
        default: return []
        }
    }
}

extension MigrationPass {
    /// Whether an event is that a migration of the source has deleted a row, because its export had none: what it had
    /// said of the row before is no more what it had said last. That the row went along with another one is not.
    func isOwnDeletion(_ event: EventRecord) -> Bool {
        event.type == "deleted" && event.cause == nil && event.position.rawValue < firstPosition
            && isOurs(event.position)
    }

    /// Whether an event followed from that somebody has deleted another row, which nobody else has made again: what it
    /// took away comes back with that row.
    func isUndone<State: StateReading & ~Copyable>(
        _ event: EventRecord,
        in state: borrowing State
    ) throws -> Bool {
        guard let cause = event.cause, let deletion = try state.event(at: cause),
            deletion.type == "deleted", let row = deletion.entity
        else { return false }
        guard let found = try state.revision(of: row) else { return true }
        return isOurs(found.created)
    }
}
