import Reprise

/// What can be taken back and brought back, as the auditor knows it: each step by the numbers of the commits whose
/// states lie before and after it.
struct UndoStacks {
    struct Step {
        let before: Int
        let after: Int
    }

    var undo: [Step] = []
    var redo: [Step] = []

    mutating func push(_ step: Step) {
        undo.append(step)
        redo = []
    }
}

/// Undo, redo, and differences that are applied.
extension Workload {
    /// Notes that commits since `before` are a step of their own.
    func noteStep(since before: Int) {
        if chronicle.commitCount > before {
            stacks.push(UndoStacks.Step(before: before, after: chronicle.commitCount))
        }
    }

    func changesStep(_ generator: inout SeededGenerator) throws {
        switch generator.below(4) {
        case 0, 1: try undoStep()
        case 2: try redoStep()
        default: try differenceStep(&generator)
        }
    }

    private func undoStep() throws {
        try expectEqual(try store.canUndo(), !stacks.undo.isEmpty, "whether something can be undone")
        trail.append(.note("undo \(stacks.undo.last.map { "to commit \($0.before)" } ?? "nothing")"))
        let report = try store.undo()
        guard let step = stacks.undo.popLast() else {
            return try expectEqual(report == nil, true, "an undo of nothing")
        }
        try checkTakenBack(report, "undo")
        let before = chronicle.commitCount
        try settleRestored(to: step.before)
        stacks.redo.append(UndoStacks.Step(before: chronicle.commitCount, after: before))
        tick("undo")
    }

    private func redoStep() throws {
        try expectEqual(try store.canRedo(), !stacks.redo.isEmpty, "whether something can be brought back")
        trail.append(.note("redo \(stacks.redo.last.map { "to commit \($0.after)" } ?? "nothing")"))
        let report = try store.redo()
        guard let step = stacks.redo.popLast() else {
            return try expectEqual(report == nil, true, "a redo of nothing")
        }
        try checkTakenBack(report, "redo")
        let before = chronicle.commitCount
        try settleRestored(to: step.after)
        stacks.undo.append(UndoStacks.Step(before: before, after: chronicle.commitCount))
        tick("redo")
    }

    private func checkTakenBack(_ report: ChangeSet.Report?, _ verb: String) throws {
        guard let report else { throw Difference("\(verb) found nothing") }
        guard report.conflicts.isEmpty else { throw Difference("\(verb) met \(report.conflicts)") }
    }

    /// The difference between the present and a past state, looked at and applied.
    private func differenceStep(_ generator: inout SeededGenerator) throws {
        let commit = pastCommit(&generator)
        let point = Point.position(Position(rawValue: chronicle.position(afterCommit: commit)))
        trail.append(.note("apply the difference to commit \(commit)"))
        let changes = try store.difference(from: .head, to: point)
        try compare(changes, from: auditor.state, to: state(after: commit))
        try compare(changes.inverted(), from: state(after: commit), to: auditor.state)
        let report = try store.apply(changes)
        try checkTakenBack(report, "the difference")
        let before = chronicle.commitCount
        try settleRestored(to: commit)
        noteStep(since: before)
        tick("difference")
    }

    /// What a difference says of rows, beside what the auditor's two states say.
    private func compare(_ changes: ChangeSet, from before: AuditState, to after: AuditState) throws {
        var told: [Entity: ChangeSet.EntityChange] = [:]
        try changes.forEach { change in
            told[Entity(change.entity)] = change
            return true
        }
        for model in auditor.schema.models {
            for id in Set(before.ids(model.name)).union(after.ids(model.name)) {
                let entity = Entity(model.name, id)
                let (from, to) = (before[entity]?.values, after[entity]?.values)
                let change = told[entity]
                if from != to {
                    let kind: ChangeSet.EntityChange.Kind = from == nil ? .inserted : to == nil ? .deleted : .updated
                    try expectEqual(change?.kind, kind, "what becomes of \(entity)")
                }
                var differing: Set<String> = []
                for name in Set((from ?? [:]).keys).union((to ?? [:]).keys) where from?[name] != to?[name] {
                    differing.insert(name)
                }
                let converted = release.conversions[model.name] ?? []
                let removed = (release.removals[model.name] ?? []) + converted.map(\.from)
                let fields = change?.fields.filter { !removed.contains($0.name) } ?? []
                try expectEqual(Set(fields.map(\.name)), differing, "the fields of \(entity)")
                for field in fields {
                    let (old, new) = (Datum(field.from), Datum(field.to))
                    try expectEqual(old, from?[field.name] ?? .null, "\(entity).\(field.name) before")
                    try expectEqual(new, to?[field.name] ?? .null, "\(entity).\(field.name) after")
                }
            }
        }
    }

    /// After a commit that has made the state what it was after an earlier one, by events of its own.
    func settleRestored(to commit: Int) throws {
        let before = auditor.state
        auditor.restore(state(after: commit))
        // What has no event keeps the revision that it had.
        for model in auditor.schema.models {
            for id in auditor.state.ids(model.name) {
                let entity = Entity(model.name, id)
                if let revision = before[entity]?.revision { auditor.note(revision: revision, of: entity) }
            }
        }
        try settle(from: before, origin: .restored)
        try expectDigest(digests[chronicle.commitCount], of: commit, "the digest after going back")
    }
}
