import Reprise

/// New releases of the program in the middle of a run: the schema of the store follows.
extension Workload {
    var release: ClubRelease { ClubRelease.all[releaseNumber] }

    /// Looks at the store with the eyes of a release.
    func setRelease(_ number: Int) {
        releaseNumber = number
        auditor.schema = release.audit
    }

    /// The state after a commit, as the present release sees it.
    func state(after commit: Int) -> AuditState {
        chronicle.state(after: commit).seen(by: release)
    }

    /// Opens the store with the next release, now and then while a branch stays behind that is merged afterwards.
    func releaseStep(_ generator: inout SeededGenerator) throws {
        guard releaseNumber + 1 < ClubRelease.all.count else { return try reopenStep() }
        try layToSleep(&generator)
        let next = ClubRelease.all[releaseNumber + 1]
        let behind = generator.once(in: 2) ? try BranchBehind(self, &generator) : nil
        defer { behind?.store.close() }
        // What a branch has done to what a release removes does not fit into the store any more.
        let follows = next.removals != release.removals || !next.conversions.isEmpty && generator.once(in: 2)
        trail.append(.note("release \(releaseNumber + 1)"))
        setRelease(releaseNumber + 1)
        auditor.restore(auditor.state.seen(by: release))
        try reopenStep()
        tick("release")
        guard let behind else { return }
        if follows { try behind.follow(release) }
        try merge(behind, hasFollowed: follows)
    }

    private func merge(_ behind: BranchBehind, hasFollowed: Bool) throws {
        let ours = chronicle.commitCount
        let report = try store.merge(behind.store, context: CommitContext(intent: "merge", actor: "merger"))
        try checkMerged(report, "a merge of a branch that is a version behind")
        try settleRestored(to: behind.commit)
        if release.conversions.isEmpty || hasFollowed {
            try checkMerged(try behind.store.merge(store), "a merge into a branch that is a version behind")
            try expectEqual(try behind.store.difference(to: store).isEmpty, true, "whether they are the same")
            try expectEqual(try behind.store.merge(store).commit, nil, "what a second merge brings")
        }
        try expectEqual(try store.merge(behind.store).commit, nil, "what a merge back brings")
        tick(hasFollowed ? "branch that has followed" : "branch of an older release")
        // What can be undone is as before the merge only where the merge is taken back.
        guard let merge = report.commit else { return }
        let back = try store.revert(commits: [merge], context: CommitContext(intent: "revert", actor: "merger"))
        try checkMerged(back, "the revert of a merge of an older release")
        try settleRestored(to: ours)
    }
}

/// A branch of the head that was taken to a past state before the program came to its next release.
private final class BranchBehind {
    private let directory: TemporaryDirectory
    private let configuration: Store.Configuration
    private(set) var store: Store
    /// The commit whose state it has.
    let commit: Int

    init(_ workload: Workload, _ generator: inout SeededGenerator) throws {
        commit = workload.pastCommit(&generator)
        workload.trail.append(.note("branch, take it to commit \(commit)"))
        directory = try TemporaryDirectory(named: "behind")
        configuration = Workload.configuration(workload.clock, workload.options)
        store = try workload.store.branch(to: directory.path("branch"))
        let changes = try workload.store.difference(from: .head, to: workload.point(afterCommit: commit))
        try workload.checkMerged(try store.apply(changes), "changes of the parent")
    }

    /// Opens it with a newer release.
    func follow(_ release: ClubRelease) throws {
        store.close()
        store = try Store.open(at: directory.path("branch"), schema: release.schema, configuration: configuration)
    }
}

extension AuditState {
    /// Without what a release has made of older values: as reading by names finds a state of before.
    func beforeConversion(to release: ClubRelease) -> AuditState {
        var state = self
        for (model, conversions) in release.conversions { state.remove(conversions.map(\.to), of: model) }
        return state
    }

    /// With the names of a release, without what it has removed, and with values for rows that are older than their
    /// attributes. They are no change that somebody has made.
    func seen(by release: ClubRelease) -> AuditState {
        var seen = self
        for (model, names) in release.renames { seen.rename(names, of: model) }
        for (model, names) in release.removals { seen.remove(names, of: model) }
        for (model, conversions) in release.conversions { seen.convert(conversions, of: model) }
        for (model, values) in release.defaults {
            for id in ids(model) {
                seen[Entity(model, id)]?.values.merge(values) { old, _ in old }
            }
        }
        seen.forgetTouched()
        return seen
    }
}
