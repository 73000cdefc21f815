import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two stores of one family that both change, and meet.
extension Workload {
    /// Lets a branch of the head and a branch of that change, and merges each into a copy of the other: where there is
    /// no conflict, both come to the same.
    func meetingStep(_ generator: inout SeededGenerator) throws {
        trail.append(.note("two branches meet"))
        let place = try TemporaryDirectory(named: "meeting")
        func open(_ name: String) throws -> Store {
            try Store.open(
                at: place.path(name),
                schema: release.schema,
                configuration: Self.configuration(clock, options)
            )
        }
        try store.branch(to: place.path("left")).close()
        var left = try open("left")
        try left.branch(to: place.path("right")).close()
        var right = try open("right")
        try changeAtRandom(left, &generator)
        try changeAtRandom(right, &generator)
        for (store, name) in [(left, "left"), (right, "right")] {
            store.close()
            try FileManager.default.copyItem(atPath: place.path(name), toPath: place.path("\(name) 2"))
        }
        (left, right) = (try open("left"), try open("right"))
        let (otherLeft, otherRight) = (try open("left 2"), try open("right 2"))
        defer { for store in [left, right, otherLeft, otherRight] { store.close() } }
        let report = try left.merge(right)
        let otherReport = try otherRight.merge(otherLeft)
        try expectEqual(report.isDone, otherReport.isDone, "whether there are conflicts")
        tick(report.isDone ? "meeting" : "meeting with conflicts")
        guard report.isDone else {
            let answers = Answers(&generator)
            trail.append(.note("answers \(answers)"))
            try settleMeeting(left, right, answers)
            return try settleCrossing(left, otherRight, otherLeft, answers)
        }
        try compareContents(of: left, otherRight)
        try expectEqual(try left.verify().faults.map(\.message), [], "what is wrong after a merge")
        try expectEqual(try left.merge(right).commit, nil, "what a second merge brings")
        try checkMerged(try right.merge(left), "the merge back")
        let digests = [try left.read { $0.digest }, try right.read { $0.digest }]
        try expectEqual(digests[0], digests[1], "the digest after the merge back")
        // The copy has merged at the same moment as the branch.
        try checkCrossed(left.merge(otherRight), "what two merges at the same time leave to the older store")
        try checkCrossed(otherRight.merge(left), "what they leave to the younger one")
        let others = try otherRight.read { $0.digest }
        try expectEqual(digests[0], others, "the digest after two merges at the same time")
    }

    private func checkCrossed(_ report: ChangeSet.Report, _ comment: String) throws {
        try expectEqual(Array(report.conflicts), [], comment)
        try expectEqual(report.counts.entities, 0, comment)
    }

    /// Merges one into the other with answers to all conflicts: what comes of it keeps the rules.
    private func settleMeeting(_ left: Store, _ right: Store, _ answers: Answers) throws {
        let report = try left.merge(right, resolving: answers.resolution)
        try expectEqual(report.isDone, true, "whether all conflicts are settled")
        try expectEqual(try left.verify().faults.map(\.message), [], "what is wrong after a merge with conflicts")
        try expectEqual(try left.merge(right).commit, nil, "what a second merge brings")
    }

    /// Lets a copy of the other one merge at the same moment. Whatever they have settled differently, both are the same
    /// when they have merged each other.
    private func settleCrossing(_ left: Store, _ right: Store, _ otherLeft: Store, _ answers: Answers) throws {
        for (into, other) in [(right, otherLeft), (left, right), (right, left), (left, right)] {
            let report = try into.merge(other, resolving: answers.resolution)
            try expectEqual(report.isDone, true, "whether all conflicts are settled after two merges at the same time")
        }
        let digests = [try left.read { $0.digest }, try right.read { $0.digest }]
        try expectEqual(digests[0], digests[1], "the digest after two merges at the same time and two in turns")
        try expectEqual(try right.verify().faults.map(\.message), [], "what is wrong then")
    }

    /// Takes back some commits of the past in a branch of the head, as far as that meets no conflict.
    private func changeAtRandom(_ branch: Store, _ generator: inout SeededGenerator) throws {
        for _ in 0..<1 + generator.below(3) {
            let commit = pastCommit(&generator)
            guard isLive(commit) else { continue }
            do {
                _ = try branch.revert(commits: [Position(rawValue: chronicle.position(afterCommit: commit))])
            } catch let error as StoreError where error.code == .unknownPosition {
                // It has changed the schema.
            }
        }
    }

    private func compareContents(of left: Store, _ right: Store) throws {
        let (left, right) = (try content(of: left), try content(of: right))
        try expectEqual(left.mapValues(\.values), right.mapValues(\.values), "what two branches have that have met")
        for (entity, content) in left {
            for (list, targets) in content.lists {
                let others = right[entity]?.lists[list] ?? []
                try expectEqual(targets, others, "the list \(entity).\(list)")
            }
        }
    }

    struct Content {
        let values: [String: Datum]
        let lists: [String: [String]]
    }

    /// All rows and lists of a store, without what positions say.
    func content(of store: Store) throws -> [Entity: Content] {
        var content: [Entity: Content] = [:]
        try store.read { transaction in
            for model in auditor.schema.models {
                for record in try transaction.records(RecordQuery(model: model.name)) {
                    content[Entity(model.name, Text(record.id))] = Content(
                        values: [String: Datum](record.values.map { ($0.name, Datum($0.value)) }) { $1 },
                        lists: [String: [String]](record.lists.map { ($0.name, $0.targets) }) { $1 }
                    )
                }
            }
        }
        return content
    }
}
