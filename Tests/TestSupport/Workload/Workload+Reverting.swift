import Reprise

/// Past commits that are taken back while later ones stay.
extension Workload {
    /// Takes a past commit back. Where nobody has touched since what it had touched, the auditor knows what comes of
    /// it; otherwise it is only looked at, and nothing may change.
    func revertStep(_ generator: inout SeededGenerator) throws {
        if generator.once(in: 4) { return try forcedStep(&generator) }
        let commit = pastCommit(&generator)
        let position = Position(rawValue: chronicle.position(afterCommit: commit))
        guard isLive(commit) else {
            trail.append(.note("revert commit \(commit), which is dead"))
            do {
                _ = try store.revert(commits: [position])
            } catch let error as StoreError where error.code == .unknownPosition {
                return tick("revert of a dead commit")
            }
            throw Difference("a dead commit was taken back")
        }
        guard let change = ReversedChange(of: commit, self) else {
            trail.append(.note("plan the revert of commit \(commit)"))
            _ = try store.revert(commits: [position], isPlan: true)
            tick("plan of a revert")
            return try settle(from: auditor.state)
        }
        let before = auditor.state
        let count = chronicle.commitCount
        let report: ChangeSet.Report
        if let entity = change.onlyDeletion, generator.once(in: 2), try isOnlyDeleted(entity, by: commit) {
            trail.append(.note("restore \(entity), deleted by commit \(commit)"))
            report = try store.restore(EntityReference(entity))
            tick("restore")
        } else {
            trail.append(.note("revert commit \(commit)"))
            report = try store.revert(commits: [position])
            try expectEqual(report.takenBack, [position], "what was taken back")
            tick("revert")
        }
        if !report.conflicts.isEmpty, report.conflicts.allSatisfy(change.isOfPlaces) {
            return try settle(from: before)
        }
        try checkMerged(report, "a change of what nobody has touched since")
        auditor.edit { $0 = change.result }
        try settle(from: before, origin: .restored)
        noteStep(since: count)
        try expectEqual(report.commit == nil, chronicle.commitCount == count, "whether there is a commit")
    }

    /// Whether a commit has done nothing to an entity but to take it away: what it did besides does not come back. Rows
    /// that it has made itself, and that went with the entity, would come with it.
    private func isOnlyDeleted(_ entity: Entity, by commit: Int) throws -> Bool {
        var isOnly = true
        try store.read { transaction in
            let first = Position(rawValue: chronicle.position(afterCommit: commit - 1) + 1)
            try transaction.forEachCommit(from: first, to: nil, reversed: false) { record in
                let made = record.events.filter { $0.type == "inserted" }.compactMap(\.entity)
                isOnly = !record.events.contains { event in
                    if event.type == "deleted", let gone = event.entity, made.contains(gone) { return true }
                    return event.entity.map { Entity($0) } == entity && !["deleted", "unlinked"].contains(event.type)
                }
                return false
            }
        }
        return isOnly
    }

    /// Whether the present state has come through a commit, and it is no rollback.
    func isLive(_ commit: Int) -> Bool {
        var present = chronicle.commitCount
        while present > commit {
            if let target = rollbacks[present] { present = target } else { present -= 1 }
        }
        return present == commit && rollbacks[commit] == nil
    }
}

/// What is left when a commit is taken back that nobody has built on.
private struct ReversedChange {
    let result: AuditState
    private let changed: Set<Entity>
    /// The row that the commit has deleted, where it did nothing else to rows.
    var onlyDeletion: Entity?

    /// - Returns: nil where others have touched since what the commit touched, or where rules have more to say.
    init?(of commit: Int, _ workload: Workload) {
        guard workload.releaseAfter[commit] == workload.releaseNumber,
            let lists = workload.chronicle.touchedLists(by: commit)
        else { return nil }
        let (earlier, later) = (workload.state(after: commit - 1), workload.state(after: commit))
        let (present, schema) = (workload.auditor.state, workload.auditor.schema)
        var result = present
        var deleted: [Entity] = []
        var changed: Set<Entity> = []
        for model in schema.models {
            for id in Set(earlier.ids(model.name)).union(later.ids(model.name)) {
                let entity = Entity(model.name, id)
                let (from, to) = (earlier[entity], later[entity])
                if from?.values == to?.values { continue }
                guard present[entity]?.values == to?.values else { return nil }
                result[entity] = from.map { AuditState.Row(values: $0.values, revision: present[entity]?.revision) }
                changed.insert(entity)
                if from == nil { deleted.append(entity) } else if to == nil { onlyDeletion = entity }
            }
        }
        // A later deletion would be the one that is made good.
        if changed.count != 1 || onlyDeletion.map({ workload.chronicle.appears($0, after: commit) }) == true {
            onlyDeletion = nil
        }
        self.changed = changed
        for key in lists {
            guard workload.chronicle.isUntouched(key, after: commit) else { return nil }
            result[list: key] = earlier[list: key]
            // Other lists are no part of what a deletion has taken along.
            if key.owner != onlyDeletion { onlyDeletion = nil }
        }
        // A deletion that forbids itself, or takes others along, because of what the row leads to.
        for entity in deleted {
            for relationship in schema.model(entity.model)?.relationships ?? [] where relationship.rule != .nullify {
                let partners = later.entries(relationship, of: entity)
                if partners.contains(where: { result.exists(Entity(relationship.target, $0.target)) }) { return nil }
            }
        }
        var auditor = workload.auditor
        auditor.restore(result)
        guard result.brokenInvariant(schema) == nil, !auditor.breaksUniques else { return nil }
        self.result = result
    }

    /// Whether a conflict is about nothing that the auditor sees: a place that was given up and taken again since is
    /// another place, and an entry that was moved to where it stood has been moved.
    func isOfPlaces(_ conflict: ChangeSet.Conflict) -> Bool {
        switch conflict.kind {
        case .moved: true
        case .gone: !changed.contains(Entity(conflict.entity))
        default: false
        }
    }
}

extension Auditor {
    /// Whether two rows have the same values where these may occur once.
    fileprivate var breaksUniques: Bool {
        schema.models.contains { model in
            !model.uniques.isEmpty
                && state.ids(model.name).contains { !uniqueViolations(Entity(model.name, $0)).isEmpty }
        }
    }
}
