import Reprise
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes that are made although others are in the way. The auditor does not know what comes of them; what holds in
/// any case is looked at.
extension Workload {
    /// Does something to two copies of the store, with the same answers to all conflicts, in one transaction and in
    /// steps: both come to the same, keep the rules, and can be taken back.
    func forcedStep(_ generator: inout SeededGenerator) throws {
        let answers = Answers(&generator)
        let place = try TemporaryDirectory(named: "forced")
        guard let change = try forcedChange(place, answers, &generator) else { return }
        let what = change.what
        trail.append(.note("\(what) whatever is in the way, answers \(answers)"))
        var contents: [[Entity: Content]] = []
        var histories: [[Entity: String]] = []
        for isInSteps in [false, true] {
            var options = self.options
            options.mergesInSteps = isInSteps
            let path = place.path("\(isInSteps)")
            try copy(to: path)
            let copy = try open(path, options)
            defer { copy.close() }
            let digest = try copy.read { $0.digest }
            let before = try self.content(of: copy)
            guard let report = try change.act(copy) else { return }
            try expectEqual(report.isDone, true, "whether all conflicts are settled")
            try expectEqual(try copy.verify().faults.map(\.message), [], "what is wrong after \(what)")
            let content = try content(of: copy)
            contents.append(content)
            histories.append(try newestVersions(of: content.keys, in: copy))
            let others = report.settled.filter { !answers.wereAsked(of: $0) }.map(\.description)
            try expectEqual(others, [], "settled conflicts that the resolution was not asked of")
            tick(report.settled.isEmpty ? "change without conflicts" : "forced change")
            guard let commit = report.commit else { continue }
            try checkMerged(try copy.revert(commits: [commit]), "the revert of \(what)")
            let back = try self.content(of: copy)
            try expectEqual(back.mapValues(\.values), before.mapValues(\.values), "\(what), taken back")
            try expectEqual(back.mapValues(\.lists), before.mapValues(\.lists), "the lists after \(what), taken back")
            // Rows keep what a later release has removed or converted, unseen (HIS-51).
            if change.commits.contains(where: hasLostSomething) { continue }
            try expectEqual(try copy.read { $0.digest }, digest, "the digest after \(what) was taken back")
        }
        let (one, inSteps) = (contents[0], contents[1])
        try expectEqual(one.mapValues(\.values), inSteps.mapValues(\.values), "what \(what) comes to in steps")
        try expectEqual(one.mapValues(\.lists), inSteps.mapValues(\.lists), "the lists after \(what) in steps")
        try expectEqual(histories[0], histories[1], "what the history says of \(what) in steps")
    }

    /// What the last commit that has changed each entity has made of it, as its history tells it.
    private func newestVersions(of entities: some Sequence<Entity>, in store: Store) throws -> [Entity: String] {
        var found: [Entity: String] = [:]
        try store.read { transaction in
            for entity in entities {
                try transaction.forEachVersion(of: EntityReference(entity)) { version in
                    let fields = version.change.fields.map { "\($0.name) \($0.from) \($0.to)" }.sorted()
                    let lists = version.lists.map { "\($0.name) \($0.from) \($0.to)" }.sorted()
                    found[entity] = "\(version.change.kind) \(fields) \(lists)"
                    return false
                }
            }
        }
        return found
    }

    /// Whether a release behind a commit has removed or converted something.
    private func hasLostSomething(_ commit: Int) -> Bool {
        let then = ClubRelease.all[releaseAfter[commit]]
        return then.removals.isEmpty && !release.removals.isEmpty
            || then.conversions.isEmpty && !release.conversions.isEmpty
    }

    private struct ForcedChange {
        let what: String
        /// Those of which something comes back or is taken back.
        let commits: [Int]
        let act: (Store) throws -> ChangeSet.Report?
    }

    /// Copies the store, which nobody writes meanwhile: both are the same one, of which other stores are branches.
    private func copy(to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: store.path + "/data.mdb", toPath: path + "/data.mdb")
    }

    private func open(_ path: String, _ options: Options) throws -> Store {
        try Store.open(at: path, schema: release.schema, configuration: Self.configuration(clock, options))
    }

    /// Chooses what to do; nil where there is nothing.
    private func forcedChange(
        _ place: TemporaryDirectory,
        _ answers: Answers,
        _ generator: inout SeededGenerator
    ) throws -> ForcedChange? {
        switch generator.below(4) {
        case 0:
            let commit = pastCommit(&generator)
            let then = Point.position(Position(rawValue: chronicle.position(afterCommit: commit)))
            let state = state(after: commit)
            let all = auditor.schema.models.flatMap { model in
                state.ids(model.name).sorted().map { Entity(model.name, $0) }
            }
            guard !all.isEmpty, releaseAfter[commit] == releaseNumber else { return nil }
            let entity = all[generator.below(all.count)]
            return ForcedChange(what: "restore \(entity) as of commit \(commit)", commits: [commit]) { store in
                try store.restore(EntityReference(entity), asOf: then, resolving: answers.resolution)
            }
        case 1:
            let begin = pastCommit(&generator)
            guard releaseAfter[begin] == releaseNumber else { return nil }
            let taken = (0..<1 + generator.below(3)).map { _ in pastCommit(&generator) }.filter(isLive)
            let what = "merge a branch of commit \(begin) without commits \(taken)"
            return ForcedChange(what: what, commits: taken) { store in
                let path = place.path("other \(store.path.hasSuffix("true"))")
                try store.branch(to: path, at: self.point(afterCommit: begin)).close()
                let branch = try self.open(path, self.options)
                defer { branch.close() }
                for commit in taken where commit <= begin { _ = try self.reverted([commit], in: branch, answers) }
                return try store.merge(branch, resolving: answers.resolution)
            }
        default:
            let commits = (0..<1 + generator.below(3)).map { _ in pastCommit(&generator) }.filter(isLive)
            guard !commits.isEmpty else { return nil }
            return ForcedChange(what: "revert commits \(commits)", commits: commits) { store in
                try self.reverted(commits, in: store, answers)
            }
        }
    }

    /// - Returns: nil where one of the commits has changed the schema, or is none of the store's.
    private func reverted(_ commits: [Int], in store: Store, _ answers: Answers) throws -> ChangeSet.Report? {
        let positions = Set(commits).map { Position(rawValue: chronicle.position(afterCommit: $0)) }
        do {
            return try store.revert(commits: positions, resolving: answers.resolution)
        } catch let error as StoreError where error.code == .unknownPosition {
            return nil
        }
    }
}

/// What is answered to conflicts: the same to the same one, however often and in which order it is asked.
struct Answers: CustomStringConvertible {
    private final class Questions: Sendable {
        let asked = Mutex<Set<ChangeSet.Conflict>>([])
    }

    private let salt: UInt64
    private let questions = Questions()

    init(_ generator: inout SeededGenerator) { salt = UInt64(generator.below(1000)) }

    var description: String { "\(salt)" }

    func wereAsked(of conflict: ChangeSet.Conflict) -> Bool { questions.asked.withLock { $0.contains(conflict) } }

    var resolution: ChangeSet.Resolution {
        let (salt, questions) = (salt, questions)
        return .each { conflict in
            _ = questions.asked.withLock { $0.insert(conflict) }
            // Of some nothing but theirs is wanted, of some nothing but ours, and of the others now this and now that.
            if !conflict.canBeTheirs || salt % 4 == 0 { return .ours }
            if salt % 4 == 1 { return .theirs }
            var hash = salt &+ 0xcbf2_9ce4_8422_2325
            for byte in "\(conflict)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return hash >> 32 & 1 == 0 ? .ours : .theirs
        }
    }
}
