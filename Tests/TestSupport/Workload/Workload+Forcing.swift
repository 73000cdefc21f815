import Reprise

/// Past commits that are taken back although others have built on them: the auditor does not know what comes of it, and
/// what holds in any case is looked at.
extension Workload {
    /// Takes some commits back in two branches of the head, with the same answers to all conflicts, in one transaction
    /// and in steps: both come to the same, keep the rules, and can be taken back.
    func forcedRevertStep(_ generator: inout SeededGenerator) throws {
        let commits = (0..<1 + generator.below(3)).map { _ in pastCommit(&generator) }.filter(isLive)
        let answers = Answers(&generator)
        guard !commits.isEmpty else { return }
        trail.append(.note("revert commits \(commits) whatever is in the way, answers \(answers)"))
        let place = try TemporaryDirectory(named: "forced")
        var contents: [[Entity: Content]] = []
        for isInSteps in [false, true] {
            var options = self.options
            options.mergesInSteps = isInSteps
            let path = place.path("\(isInSteps)")
            try store.branch(to: path).close()
            let branch = try Store.open(
                at: path,
                schema: release.schema,
                configuration: Self.configuration(clock, options)
            )
            defer { branch.close() }
            let before = try branch.read { $0.digest }
            let positions = Set(commits).map { Position(rawValue: chronicle.position(afterCommit: $0)) }
            guard let report = try reverted(positions, in: branch, answers) else { return }
            try expectEqual(report.isDone, true, "whether all conflicts are settled")
            try expectEqual(try branch.verify().faults.map(\.message), [], "what is wrong after a forced revert")
            contents.append(try content(of: branch))
            tick(report.settled.isEmpty ? "revert of several" : "forced revert")
            guard let commit = report.commit else { continue }
            try checkMerged(try branch.revert(commits: [commit]), "the revert of a forced revert")
            try expectEqual(try branch.read { $0.digest }, before, "the digest after a forced revert was taken back")
        }
        try compare(contents[0], contents[1], "what a forced revert comes to in steps")
    }

    /// - Returns: nil where one of the commits has changed the schema.
    private func reverted(
        _ positions: [Position],
        in branch: Store,
        _ answers: Answers
    ) throws -> ChangeSet.Report? {
        do {
            return try branch.revert(commits: positions, resolving: answers.resolution)
        } catch let error as StoreError where error.code == .unknownPosition {
            return nil
        }
    }

    func compare(_ one: [Entity: Content], _ other: [Entity: Content], _ what: String) throws {
        try expectEqual(one.mapValues(\.values), other.mapValues(\.values), what)
        try expectEqual(one.mapValues(\.lists), other.mapValues(\.lists), what)
    }
}

/// What is answered to conflicts: the same to the same one, however often and in which order it is asked.
struct Answers: CustomStringConvertible {
    private let salt: UInt64

    init(_ generator: inout SeededGenerator) { salt = UInt64(generator.below(1000)) }

    var description: String { "\(salt)" }

    var resolution: ChangeSet.Resolution {
        let salt = salt
        return .each { conflict in
            // Of some nothing but theirs is wanted, of some nothing but ours, and of the others now this and now that.
            if !conflict.canBeTheirs || salt % 4 == 0 { return .ours }
            if salt % 4 == 1 { return .theirs }
            var hash = salt &+ 0xcbf2_9ce4_8422_2325
            for byte in "\(conflict)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash >> 32 & 1 == 0 ? .ours : .theirs
        }
    }
}
