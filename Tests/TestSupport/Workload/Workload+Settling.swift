import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the auditor knows the state after a commit.
enum StateOrigin {
    /// It did what the store did.
    case done
    /// From the chronicle; the commit has one event, and rows have their old revisions. Where the state went back to
    /// one from before a conversion, another commit converts the rows again.
    case rollback(to: Int)
    /// From the chronicle; the commit has events of its own.
    case restored

    var isDone: Bool { if case .done = self { true } else { false } }
}

/// What a commit left in the log, beside what the auditor says it did.
extension Workload {
    /// After the store was made: its log begins with the schema.
    func begin() throws {
        digests = [try store.read { $0.digest }]
        times = [.distantPast]
        try settle(from: AuditState())
        stacksAfter[chronicle.commitCount] = stacks
    }

    /// Takes the events since the last time into the chronicle, and compares what they touched.
    ///
    /// - Parameter isOfSchema: whether the schema was changed.
    func settle(from before: AuditState, origin: StateOrigin = .done, isOfSchema: Bool = false) throws {
        try store.read { transaction in
            let newHead = transaction.head.rawValue
            guard newHead > head else {
                try expectEqual(newHead, head, "the head")
                guard isSameContent(before, auditor.state) else {
                    throw Difference("the commit changed something and recorded nothing")
                }
                auditor.forgetTouched()
                return
            }
            var commits: [CommitRecord] = []
            try transaction.forEachCommit(
                from: Position(rawValue: head + 1),
                to: nil,
                reversed: false
            ) {
                commits.append($0)
                return true
            }
            let converts = convertsAgain(origin)
            try expectEqual(commits.count, converts ? 2 : 1, "the commits since position \(head)")
            guard let commit = commits.first, let last = commits.last else { return }
            try settle(commit, from: before, origin, isOfSchema: isOfSchema)
            if converts {
                let before = auditor.state.beforeConversion(to: release)
                try settle(last, from: before, .restored, isOfSchema: true)
            }
            try expectEqual(head, newHead, "the head")
            try compareTouched(transaction)
            try expectEqual(last.digest, transaction.digest, "the digest of the last commit")
            auditor.forgetTouched()
        }
    }

    /// Whether rows have come back that are older than a conversion.
    private func convertsAgain(_ origin: StateOrigin) -> Bool {
        guard case .rollback(let target) = origin else { return false }
        return !release.conversions.isEmpty && !isConverted[target]
    }

    private func settle(
        _ commit: CommitRecord,
        from before: AuditState,
        _ origin: StateOrigin,
        isOfSchema: Bool
    ) throws {
        try check(commit, from: before, to: commit.lastPosition.rawValue, origin)
        digests.append(commit.digest)
        times.append(commit.at)
        releaseAfter.append(releaseNumber)
        var (isRestored, isConverted) = (false, self.isConverted[chronicle.commitCount])
        switch origin {
        case .done: break
        case .restored: isRestored = true
        case .rollback(let target): isConverted = self.isConverted[target]
        }
        if isOfSchema { isConverted = !release.conversions.isEmpty }
        self.isConverted.append(isConverted)
        head = commit.lastPosition.rawValue
        chronicle.append(
            auditor.state,
            at: head,
            isWhole: isOfSchema || !origin.isDone,
            isOfSchema: isOfSchema,
            touched: isRestored ? toldLists(commit) : []
        )
    }

    /// The lists that the events of a commit tell of: also those in which a member has only got another place.
    private func toldLists(_ commit: CommitRecord) -> Set<AuditState.ListKey> {
        var told: Set<AuditState.ListKey> = []
        for event in commit.events {
            guard let reference = event.entity else { continue }
            for change in event.changes {
                guard let relationship = auditor.schema.relationship(reference.model, change.name) else { continue }
                if relationship.shape != .toOne { told.insert(.init(Entity(reference), change.name)) }
                guard relationship.shape == .toOne, let list = relationship.inverse,
                    auditor.schema.relationship(relationship.target, list)?.shape == .orderedInverse
                else { continue }
                for value in [change.from, change.to] {
                    guard case .reference(let id) = Datum(value) else { continue }
                    told.insert(.init(Entity(relationship.target, id), list))
                }
            }
        }
        return told
    }

    private func check(
        _ commit: CommitRecord,
        from before: AuditState,
        to newHead: UInt64,
        _ origin: StateOrigin
    ) throws {
        try expectEqual(commit.position.rawValue, head + 1, "the commit's first position")
        try expectEqual(commit.lastPosition.rawValue, newHead, "the commit's last position")
        try expectEqual(
            commit.events.map(\.position.rawValue),
            Array(head + 1...newHead),
            "the positions, gapless"
        )
        if case .rollback = origin { return }
        var fold = LogFold(before: before, release)
        for event in commit.events { try fold.take(event, of: commit) }
        for (entity, revision) in fold.revisions where auditor.state.exists(entity) {
            auditor.note(revision: revision, of: entity)
        }
        for entity in auditor.state.touchedRows.union(fold.revisions.keys) {
            let after = auditor.state[entity]?.values
            try expectEqual(fold.values(of: entity), after, "\(entity) folded from the log")
            if before[entity]?.values != after && fold.revisions[entity] == nil {
                throw Difference("\(entity) changed without an event")
            }
        }
        guard origin.isDone else { return }
        let touched = touched(since: before)
        if let stranger = fold.revisions.keys.first(where: { !touched.contains($0) }) {
            throw Difference("\(stranger) has an event and nothing was done to it")
        }
    }

    /// What the commit had to do with: rows, owners of lists, and members of ordered inverses, which may have had to
    /// make room.
    private func touched(since before: AuditState) -> Set<Entity> {
        var touched = auditor.state.touchedRows
        for key in auditor.state.touchedLists {
            touched.insert(key.owner)
            guard let list = auditor.schema.relationship(key.owner.model, key.relationship),
                list.shape == .orderedInverse
            else { continue }
            for entry in before[list: key] + auditor.state[list: key] {
                touched.insert(Entity(list.target, entry.target))
            }
        }
        return touched
    }

    private func isSameContent(_ left: AuditState, _ right: AuditState) -> Bool {
        right.touchedRows.allSatisfy { left[$0]?.values == right[$0]?.values }
            && right.touchedLists.allSatisfy { left[list: $0] == right[list: $0] }
    }
}

/// The rows as the events of a commit tell them, each change from the value that was there.
private struct LogFold {
    let before: AuditState
    /// What rows have that are older than their attributes: no event has told it.
    let defaults: [String: [String: Datum]]
    /// What the release has removed. The log goes on telling of it.
    let removals: [String: [String]]
    private var rows: [Entity: [String: Datum]?] = [:]
    private(set) var revisions: [Entity: UInt64] = [:]

    init(before: AuditState, _ release: ClubRelease) {
        self.before = before
        defaults = release.defaults
        removals = release.removals.merging(release.conversions.mapValues { $0.map(\.from) }) { $0 + $1 }
    }

    func values(of entity: Entity) -> [String: Datum]? {
        (rows[entity] ?? before[entity]?.values)?.merging(defaults[entity.model] ?? [:]) { told, _ in told }
    }

    mutating func take(_ event: EventRecord, of commit: CommitRecord) throws {
        if let cause = event.cause {
            guard cause < event.position, cause >= commit.position else {
                throw Difference("event \(event.position) is caused by \(cause)")
            }
        }
        guard let reference = event.entity else { return }
        let entity = Entity(reference)
        revisions[entity] = event.position.rawValue
        switch event.type {
        case "inserted", "updated", "deleted":
            var row = event.type == "inserted" ? [:] : values(of: entity) ?? [:]
            let removed = removals[entity.model] ?? []
            for change in event.changes where !removed.contains(change.name) {
                let missing = defaults[entity.model]?[change.name]
                let from = change.from.isNull ? nil : Datum(change.from)
                try expectEqual(
                    from ?? missing,
                    row[change.name] ?? missing,
                    "event \(event.position): \(entity).\(change.name) before"
                )
                row[change.name] = change.to.isNull ? nil : Datum(change.to)
            }
            let isGone = event.type == "deleted"
            let untold = row.filter { defaults[entity.model]?[$0.key] != $0.value }
            if isGone && !untold.isEmpty {
                throw Difference("event \(event.position) deletes \(entity) without \(untold)")
            }
            rows[entity] = .some(isGone ? nil : row)
        default:
            break
        }
    }
}
