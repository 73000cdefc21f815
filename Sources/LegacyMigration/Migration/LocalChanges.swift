import Reprise

/// What somebody else has written of a row's attributes since the source did, and what that had written.
struct LocalChanges {
    /// The attributes that somebody else has written last.
    private var local: Set<String> = []
    /// What the source has written last.
    private var said: [String: Value] = [:]
    /// What was there when the source last wrote anything; it counts where it has written nothing of the attribute.
    private var present: [String: Value] = [:]

    /// - Parameter names: the attributes that are asked about.
    init<State: StateReading & ~Copyable>(
        of row: EntityReference,
        to names: Set<String>,
        _ pass: MigrationPass,
        in state: borrowing State
    ) throws {
        let last = pass.owned.last(before: pass.firstPosition)
        var unknown = names
        var emptied: Set<String> = []
        var leftCount = MigrationPass.changeCountMax
        try state.forEachEvent(of: row) { event in
            leftCount -= 1
            let isOurs = pass.isOurs(event.position)
            let isPartOfRun = event.position.rawValue >= pass.firstPosition
            for (name, value) in Self.written(event, among: unknown) {
                if event.position <= last, present[name] == nil { present[name] = value }
                if isOurs {
                    if event.cause != nil {
                        if isPartOfRun { continue }
                        // Whether it was the source's to be emptied is told by who had written it before.
                        if value.isNull {
                            emptied.insert(name)
                            continue
                        }
                    }
                    said[name] = emptied.contains(name) ? .null : value
                    unknown.remove(name)
                } else if try !(value.isNull && pass.isUndone(event, in: state)) {
                    emptied.remove(name)
                    local.insert(name)
                }
            }
            return !unknown.isEmpty && leftCount > 0
        }
        // What the source had said may be further back: then what was there is no answer.
        if leftCount <= 0 { for name in unknown { present[name] = nil } }
    }

    /// Whether somebody else has written an attribute after the source. That a row which a to-one led to was deleted is
    /// no change of the row that had it.
    func isLocal(_ name: String) -> Bool { local.contains(name) }

    /// Whether the source has said of an attribute what the export says now.
    func hasSaid(_ value: Value, of name: String) -> Bool {
        (said[name] ?? present[name]) == value
    }

    /// What an event has written, of the attributes that are asked about. That a row moved in a list is no change of
    /// it.
    private static func written(
        _ event: EventRecord,
        among names: Set<String>
    ) -> [(name: String, value: Value)] {
        switch event.type {
        case "inserted":
            var values: [String: Value] = [:]
            for change in event.changes { values[change.name] = change.to }
            return names.map { ($0, values[$0] ?? .null) }
        case "updated":
            return event.changes.compactMap { change in
                guard names.contains(change.name), change.from != change.to else { return nil }
                return (change.name, change.to)
            }
        default: return []
        }
    }
}

extension MigrationPass {
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
