import Reprise

/// What somebody else has written of a row's attributes since the source did, and what that had written.
struct LocalChanges {
    /// The attributes that somebody else has written last.
    private var local: Set<String> = []
    /// What the source has written last.
    private var said: [String: Value] = [:]
    /// What was there when the source last wrote anything.
    private var present: [String: Value] = [:]

    /// - Parameter names: the attributes that are asked about.
    init<State: StateReading & ~Copyable>(
        of row: EntityReference,
        to names: Set<String>,
        _ pass: MigrationPass,
        in state: borrowing State
    ) throws {
        let toOnes = Set(pass.shape.classes[row.model]?.toOnes.map(\.name) ?? [])
        let last = pass.owned.last(before: pass.firstPosition)
        var unknown = names
        var leftCount = MigrationPass.changeCountMax
        try state.forEachEvent(of: row) { event in
            leftCount -= 1
            let isOurs = pass.isOurs(event.position)
            let isPartOfRun = event.position.rawValue >= pass.firstPosition
            for (name, value) in Self.written(event, among: unknown) {
                if event.position <= last, present[name] == nil { present[name] = value }
                if isOurs {
                    if isPartOfRun, event.cause != nil { continue }
                    said[name] = value
                    unknown.remove(name)
                } else if try !toOnes.contains(name) || !value.isNull
                    || !event.followedFromDeletion(in: state)
                {
                    local.insert(name)
                }
            }
            return !unknown.isEmpty && leftCount > 0
        }
    }

    /// Whether somebody else has written an attribute after the source. That a row which a to-one led to was deleted is
    /// no change of the row that had it.
    func isLocal(_ name: String) -> Bool { local.contains(name) }

    /// Whether the source has said of an attribute what the export says now.
    func hasSaid(_ value: Value, of name: String) -> Bool {
        said[name] == value || present[name] == value
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

extension EventRecord {
    /// Whether it is a consequence of that another row was deleted.
    func followedFromDeletion<State: StateReading & ~Copyable>(
        in state: borrowing State
    ) throws -> Bool {
        guard let cause else { return false }
        return try state.event(at: cause)?.type == "deleted"
    }
}
