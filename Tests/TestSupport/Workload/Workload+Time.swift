import Reprise

/// The past: reading it, naming it, going back to it, and everything that must survive without changing anything.
extension Workload {
    /// The number of commits at a past time: mostly near, now and then anywhere.
    func pastCommit(_ generator: inout SeededGenerator) -> Int {
        let count = chronicle.commitCount
        if generator.once(in: 12) { return 1 + generator.below(count) }
        return max(1, count - generator.skewed(below: min(count, 400)))
    }

    /// Reads as of a past position, date or snapshot.
    func pastStep(_ generator: inout SeededGenerator) throws {
        let commit = pastCommit(&generator)
        let point = try point(of: commit, &generator)
        trail.append(.note("read as of \(point), commit \(commit)"))
        let isStale = commit > 1 && saboteur.strikes(.staleRead, at: operationCount)
        let read =
            isStale ? Point.position(Position(rawValue: chronicle.position(afterCommit: 1))) : point
        let state = state(after: commit)
        tick("read of the past")
        try store.read(asOf: read) { transaction in
            try expectEqual(
                transaction.digest,
                digests[commit],
                "the digest as of \(point), commit \(commit)"
            )
            isBeforeConversion = !isConverted[commit]
            defer { isBeforeConversion = false }
            if generator.once(in: 5) {
                try compareEverything(transaction, state)
                return
            }
            for _ in 0..<4 {
                let model = generator.pick(auditor.schema.models).name
                let id =
                    generator.once(in: 2)
                    ? generator.pick(NastyPool.ids)
                    : generator.pickIfAny(state.ids(model)) ?? generator.pick(NastyPool.ids)
                try compare(Entity(model, id), transaction, state)
            }
            try compareAnswers(
                QueryMaker.query(auditor.schema, state, &generator),
                transaction,
                state
            )
        }
    }

    /// A way to name a commit: a position at its end or inside the next, its date, a snapshot of it.
    private func point(of commit: Int, _ generator: inout SeededGenerator) throws -> Point {
        let position = chronicle.position(afterCommit: commit)
        if commit == chronicle.commitCount && generator.once(in: 2) { return .head }
        let names = snapshots.filter { $0.value == commit }.map(\.key).sorted()
        if let name = generator.pickIfAny(names) { return .snapshot(name) }
        if generator.once(in: 3) { return .date(times[commit]) }
        let next =
            commit < chronicle.commitCount
            ? chronicle.position(afterCommit: commit + 1) : position + 1
        return .position(
            Position(rawValue: position + UInt64(generator.below(Int(next - position))))
        )
    }

    func snapshotStep(_ generator: inout SeededGenerator) throws {
        if snapshots.count > 8, let name = generator.pickIfAny(snapshots.keys.sorted()) {
            trail.append(.note("delete snapshot \(name)"))
            try store.deleteSnapshot(named: name)
            snapshots[name] = nil
        } else {
            let name = "snapshot-\(chronicle.commitCount)"
            trail.append(.note("create snapshot \(name)"))
            let snapshot = try store.createSnapshot(named: name, context: CommitContext())
            try expectEqual(snapshot.position.rawValue, head, "the position of the snapshot")
            try expectEqual(snapshot.digest, digests[chronicle.commitCount], "its digest")
            snapshots[name] = chronicle.commitCount
        }
        tick("snapshot")
        try settle(from: auditor.state)
        try compareSnapshots()
    }

    func compareSnapshots() throws {
        let found = try store.snapshots()
        try expectEqual(found.map(\.name).sorted(), snapshots.keys.sorted(), "the snapshots")
        for snapshot in found {
            let commit = snapshots[snapshot.name] ?? 0
            try expectEqual(
                snapshot.position.rawValue,
                chronicle.position(afterCommit: commit),
                snapshot.name
            )
            try expectEqual(snapshot.digest, digests[commit], "\(snapshot.name): digest")
        }
    }

    /// Back to the end of any earlier step, dead ones and earlier rollbacks included.
    func rollbackStep(_ generator: inout SeededGenerator) throws {
        var commit = pastCommit(&generator)
        while stacksAfter[commit] == nil { commit -= 1 }
        let point = try point(of: commit, &generator)
        trail.append(.note("roll back to \(point), commit \(commit)"))
        let isWrong = commit > 1 && saboteur.strikes(.wrongRollback, at: operationCount)
        let target =
            isWrong
            ? Point.position(Position(rawValue: chronicle.position(afterCommit: commit - 1)))
            : point
        let before = auditor.state
        let report = try store.rollback(to: target, context: CommitContext())
        tick("rollback")
        auditor.restore(state(after: commit))
        if !isWrong {
            try expectEqual(report.digest, digests[commit], "the digest after the rollback")
            try expectEqual(report.from.rawValue, head, "where the rollback came from")
        }
        let known = chronicle.commitCount
        try settle(from: before, origin: .rollback(to: commit))
        if chronicle.commitCount > known {
            rollbacks[known + 1] = commit
            try expectEqual(digests[known + 1], digests[commit], "the digest behind the rollback")
        }
        stacks = stacksAfter[commit] ?? UndoStacks()
        if generator.once(in: 3) { try compareHead() }
        try compareSnapshots()
    }

    /// Closing and opening changes nothing, but that a new release declares its schema.
    func reopenStep() throws {
        trail.append(.note("close and reopen"))
        closedStepwiseCommitCount += store.stepwiseCommitCount
        store.close()
        store = try Store.open(
            at: directory.path("store"),
            schema: release.schema,
            configuration: Self.configuration(clock, options)
        )
        tick("reopening")
        // A new release has declared its schema in a commit.
        if releaseAfter[chronicle.commitCount] != releaseNumber {
            let before = auditor.state.beforeConversion(to: release)
            try settle(from: before, origin: release.conversions.isEmpty ? .done : .restored, isOfSchema: true)
        }
        try compareHead()
        try compareSnapshots()
    }

    /// Replays and verifies the whole log: both read every event.
    func audit() throws {
        trail.append(.note("replay and verify"))
        let replay = try store.replay()
        try expectEqual(replay.digest, digests[chronicle.commitCount], "the digest after replaying")
        let verification = try store.verify()
        guard verification.isSound else {
            throw Difference("verify found \(verification.faults)")
        }
        tick("replay and verify")
        try compareHead()
        try replayElsewhere()
    }

    /// Replays the log up to a past position into another directory.
    private func replayElsewhere() throws {
        var generator = SeededGenerator(seed: options.seed &+ UInt64(operationCount))
        var commit = 1 + generator.below(chronicle.commitCount)
        // Rows that a rollback has brought back are converted by the next commit. The copy has no function for that.
        if !ClubRelease.all[releaseAfter[commit]].conversions.isEmpty, !isConverted[commit] { commit += 1 }
        let elsewhere = try TemporaryDirectory(named: "replay")
        let point = Point.position(Position(rawValue: chronicle.position(afterCommit: commit)))
        trail.append(.note("replay to commit \(commit) elsewhere"))
        _ = try store.replay(upTo: point, into: elsewhere.path("store"))
        let copy = try Store.open(existing: elsewhere.path("store"))
        defer { copy.close() }
        isBeforeConversion = !isConverted[commit]
        defer { isBeforeConversion = false }
        // The copy has the schema of then.
        let present = releaseNumber
        setRelease(releaseAfter[commit])
        defer { setRelease(present) }
        try copy.read { transaction in
            try expectEqual(transaction.digest, digests[commit], "the digest of the copy")
            try compareEverything(transaction, state(after: commit))
        }
    }
}
