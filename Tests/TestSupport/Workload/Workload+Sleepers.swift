import Reprise

/// A branch that sleeps through releases of the program, and so numbers otherwise than its parent what is new.
final class SleepingBranch {
    fileprivate let directory: TemporaryDirectory
    /// The release with which it was last opened.
    fileprivate let release: Int

    fileprivate init(of workload: Workload) throws {
        directory = try TemporaryDirectory(named: "sleeper")
        release = workload.releaseNumber
        try workload.store.branch(to: directory.path("branch")).close()
    }
}

extension Workload {
    /// Makes a branch of the head before a release, now and then.
    func layToSleep(_ generator: inout SeededGenerator) throws {
        guard sleeper == nil, generator.once(in: 2) else { return }
        trail.append(.note("a branch that sleeps"))
        sleeper = try SleepingBranch(of: self)
    }

    /// Wakes the branch that has slept through a release at least. Returns whether there was one.
    func hasWoken(_ generator: inout SeededGenerator) throws -> Bool {
        guard let sleeper, releaseNumber >= sleeper.release + 2 else { return false }
        self.sleeper = nil
        let wanted = pastCommit(&generator)
        trail.append(.note("wake a branch of release \(sleeper.release), take it to commit \(wanted)"))
        let branch = try Store.open(
            at: sleeper.directory.path("branch"),
            schema: release.schema,
            configuration: Self.configuration(clock, options)
        )
        defer { branch.close() }
        try checkMerged(try branch.merge(store), "a branch that has slept and takes over")
        try compareSleeper(branch, auditor.state)
        try expectEqual(try branch.difference(to: store).isEmpty, true, "whether they are the same")
        try expectEqual(try branch.merge(store).commit, nil, "what a second merge brings")

        let changes = try store.difference(from: .head, to: point(afterCommit: wanted))
        try checkMerged(try branch.apply(changes), "changes of the parent")
        try compareSleeper(branch, state(after: wanted))
        let ours = chronicle.commitCount
        let report = try store.merge(branch, context: CommitContext(intent: "merge", actor: "merger"))
        try checkMerged(report, "a merge of a branch that has slept")
        try settleRestored(to: wanted)
        try expectEqual(try store.difference(to: branch).isEmpty, true, "whether they are the same again")
        try expectEqual(try store.merge(branch).commit, nil, "what a merge again brings")
        tick("branch that has slept")
        guard let merge = report.commit else { return true }
        let back = try store.revert(commits: [merge], context: CommitContext(intent: "revert", actor: "merger"))
        try checkMerged(back, "the revert of a merge of a branch that has slept")
        try settleRestored(to: ours)
        try checkMerged(try branch.merge(store), "a merge of that into the branch")
        try compareSleeper(branch, auditor.state)
        return true
    }

    /// Compares what is in a branch. Its positions, and so its revisions and serials, are its own.
    private func compareSleeper(_ branch: Store, _ state: AuditState) throws {
        try branch.read { transaction in
            for model in auditor.schema.models {
                let records = try transaction.records(RecordQuery(model: model.name))
                try expectEqual(records.map { Text($0.id) }, state.ids(model.name), "the ids of the branch")
                for id in state.ids(model.name) {
                    try compareContent(Entity(model.name, id), transaction, state)
                }
            }
        }
    }
}
