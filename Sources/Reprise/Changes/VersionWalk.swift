internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Goes back through the commits that have changed one entity.
struct VersionWalk {
    private let access: StateAccess
    private let model: CompiledModel
    private let id: String
    private let entity: EntityKey
    private let reader: EntityChangeReader
    private let records: EventRecordReader

    init(_ access: StateAccess, _ model: CompiledModel, _ id: String) throws {
        self.access = access
        self.model = model
        self.id = id
        entity = EntityKey(model: model.number, id: id)
        reader = EntityChangeReader(schema: access.workspace.schemaInForce)
        records = EventRecordReader(schema: access.workspace.schemaInForce)
    }

    /// The commits that are alive, the newest first.
    func forEachVersion(_ body: (CommitRecord.EntityVersion) throws -> Bool) throws {
        let log = access.log
        var lists = try OwnLists(access, model, entity)
        var commit: CommitView?
        var events: [EventView] = []
        func finish() throws -> Bool {
            guard let commit, !events.isEmpty else { return true }
            let version = try version(commit, events, &lists, isLive: true)
            events = []
            return try version.map(body) ?? true
        }
        var goesOn = true
        try access.forEachEvent(of: id, model) { event in
            if commit.map({ event.position < $0.firstPosition }) ?? true {
                goesOn = try finish()
                commit = try log.commit(holding: event.position)
            }
            if goesOn { events.append(event) }
            return goesOn
        }
        if goesOn { _ = try finish() }
    }

    /// The commits of the whole log, dead ones as well, the newest first.
    func forEachVersionOfLog(_ body: (CommitRecord.EntityVersion) throws -> Bool) throws {
        let log = access.log
        let live = try Timeline(of: access.workspace).liveRanges(upTo: access.position)
        var lists = try OwnLists(access, model, entity)
        try log.forEachCommit(from: 1, to: try log.head(), reversed: true) { commit in
            let isLive = live.contains { $0.contains(commit.lastPosition) }
            // What comes after the state that is read has not happened to it, dead or not.
            if commit.lastPosition > access.position { return true }
            var events: [EventView] = []
            try log.forEachEvent(in: commit.firstPosition...commit.lastPosition, reversed: true) { event, _ in
                if unsafe event.model == entity.model && event.id.elementsEqual(entity.id) {
                    try Change.checkVersion(of: event)
                    events.append(event)
                }
                return true
            }
            guard !events.isEmpty, let version = try version(commit, events, &lists, isLive: isLive) else {
                return true
            }
            return try body(version)
        }
    }

    /// What one commit has made of the entity; nil where nothing is left of it.
    ///
    /// - Parameter events: those of the entity, the newest first.
    private func version(
        _ commit: CommitView,
        _ events: [EventView],
        _ lists: inout OwnLists,
        isLive: Bool
    ) throws -> CommitRecord.EntityVersion? {
        var gathering = DeltaGathering(inMemory: nil)
        for event in events { try gathering.add(event, isUndone: true) }
        var found: EntityDelta?
        try gathering.forEachDelta { found = $0.inverted() }
        guard let delta = found else { return nil }
        let changed = isLive ? try lists.goBack(over: delta) : []
        let time = Date(microsecondsSince1970: commit.metadata.timeMicroseconds)
        return CommitRecord.EntityVersion(
            commit: CommitRecord(
                commit,
                access.log,
                at: time,
                events: try events.reversed().map { try records.record($0, at: time) }
            ),
            change: try reader.change(delta),
            lists: changed,
            isLive: isLive
        )
    }
}

/// The many-to-many lists of an entity, on the way back through its history.
private struct OwnLists {
    /// Their entries, by identity.
    private var lists: [(relation: UInt16, name: String, entries: [UInt64: ListEntry])] = []

    init(_ access: StateAccess, _ model: CompiledModel, _ entity: EntityKey) throws {
        let schema = access.workspace.schemaInForce.description
        for end in model.ownedLists {
            let key = ListKey(relation: end.relation.number, id: entity.id)
            var entries: [UInt64: ListEntry] = [:]
            for entry in try access.workspace.entries(of: key) { entries[entry.identity] = entry }
            lists.append((end.relation.number, end.displayName(in: schema), entries))
        }
    }

    /// Makes them what they were before a change. Returns those that it has changed.
    mutating func goBack(over delta: EntityDelta) throws -> [CommitRecord.EntityVersion.ListChange] {
        var changed: [CommitRecord.EntityVersion.ListChange] = []
        for place in lists.indices {
            let relation = lists[place].relation
            guard try delta.entries.contains(where: { $0.relation == relation }) else { continue }
            let after = targets(of: place)
            try delta.entries.forEach { entry in
                if entry.relation != relation { return }
                lists[place].entries[entry.identity] = entry.from.map {
                    ListEntry(orderKey: $0, serial: entry.serial, target: entry.target)
                }
            }
            let before = targets(of: place)
            changed.append(CommitRecord.EntityVersion.ListChange(name: lists[place].name, from: before, to: after))
        }
        return changed
    }

    private func targets(of place: Int) -> [String] {
        lists[place].entries.values.sorted { $0.orderKey < $1.orderKey }.map {
            String(decoding: $0.target, as: UTF8.self)
        }
    }
}
