import Reprise

/// Branches that are made of any past state, changed, and merged in both directions.
///
/// Only one of two stores changes before each merge, so that the auditor knows the result: it is a state that it has
/// seen.
extension Workload {
    func branchStep(_ generator: inout SeededGenerator) throws {
        if try hasWoken(&generator) { return }
        if generator.once(in: 3) { return try meetingStep(&generator) }
        let isFromHead = generator.once(in: 2)
        let begin = isFromHead ? chronicle.commitCount : pastCommit(&generator)
        let wanted = pastCommit(&generator)
        trail.append(.note("branch at commit \(begin), take it to commit \(wanted)"))
        let branch = try Store.temporary(branchOf: store, at: point(afterCommit: begin))
        defer { branch.close() }
        try expectDigest(try branch.read { $0.digest }, of: begin, "the digest of a branch")
        if isFromHead {
            try changeAndMerge(branch, from: begin, to: wanted, &generator)
        } else {
            // Nothing was done to the branch: it takes over all that the store has.
            try checkMerged(try branch.merge(store), "a branch that takes over")
            try expectDigest(try branch.read { $0.digest }, of: chronicle.commitCount, "the branch has taken over")
            try expectEqual(try branch.difference(to: store).isEmpty, true, "whether they are the same")
        }
        tick("branch")
    }

    /// Takes a branch of the head to a past state, merges it, and takes the merge back.
    private func changeAndMerge(
        _ branch: Store,
        from begin: Int,
        to wanted: Int,
        _ generator: inout SeededGenerator
    ) throws {
        var changes = try store.difference(from: point(afterCommit: begin), to: point(afterCommit: wanted))
        if generator.once(in: 2) {
            let file = try TemporaryDirectory(named: "changes")
            try changes.write(to: file.path("workload.changes"))
            changes = try ChangeSet(contentsOf: file.path("workload.changes"))
            try checkMerged(try branch.apply(changes), "changes from a file")
        } else {
            try checkMerged(try branch.apply(changes), "changes of the parent")
        }
        try expectDigest(try branch.read { $0.digest }, of: wanted, "the branch after the changes")
        let ours = chronicle.commitCount
        let report = try store.merge(branch, context: CommitContext(intent: "merge", actor: "merger"))
        try checkMerged(report, "a merge")
        try settleRestored(to: wanted)
        try expectEqual(try store.merge(branch).commit, nil, "what a second merge does")
        try checkMerged(try branch.merge(store), "a merge back")
        try expectDigest(try branch.read { $0.digest }, of: wanted, "the branch after the merge back")
        guard let merge = report.commit else { return }
        let back = try store.revert(commits: [merge], context: CommitContext(intent: "revert", actor: "merger"))
        try checkMerged(back, "the revert of a merge")
        try settleRestored(to: ours)
        // The branch learns that its changes were taken back.
        try checkMerged(try branch.merge(store), "a merge of a revert")
        try expectDigest(try branch.read { $0.digest }, of: ours, "the branch after the merge of a revert")
    }

    /// Compares a digest with that after a commit. What a release has removed stays in the rows, unseen, and merges
    /// pass it over: then equal states may have different digests.
    func expectDigest(_ digest: StateDigest, of commit: Int, _ what: String) throws {
        if release.removals.isEmpty { try expectEqual(digest, digests[commit], what) }
    }

    func point(afterCommit commit: Int) -> Point {
        .position(Position(rawValue: chronicle.position(afterCommit: commit)))
    }

    func checkMerged(_ report: ChangeSet.Report, _ what: String) throws {
        guard report.conflicts.isEmpty else { throw Difference("\(what) met \(report.conflicts)") }
    }
}
