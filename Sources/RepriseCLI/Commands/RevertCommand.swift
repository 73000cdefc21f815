import LegacyMigration
import Reprise

/// `reprise revert`, `restore`, `undo`, `redo`, `apply` and `branch merge`: make changes happen that were found
/// elsewhere or earlier, and keep what was done since.
struct RevertCommand: Command {
    enum Verb: Sendable {
        /// Migrations, positions and stretches of the log.
        case revert([CommitSelection])
        case restore(EntityReference, asOf: Point?)
        /// What an actor has done last; nil for the one of the tool.
        case undo(actor: String?)
        case redo(actor: String?)
        /// What a branch has that is new.
        case merge(StoreLocation)
        /// What a file of changes says.
        case apply(path: String)
    }

    var store: StoreLocation
    var verb: Verb
    var resolution = ConflictChoice.ask
    /// Only show what would be done.
    var isPlanOnly = false
    var isJSON = false

    /// What is done with conflicts.
    enum ConflictChoice: Sendable {
        /// Nothing is written while there is one.
        case ask
        /// What is newer stays.
        case keepLater
        /// The change is made all the same.
        case force

        var resolution: ChangeSet.Resolution {
            switch self {
            case .ask: .none
            case .keepLater: .ours
            case .force: .theirs
            }
        }
    }

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: isPlanOnly ? .reading : .writing) { store in
            var newer: [String] = []
            guard let report = try carryOut(in: store, &newer) else {
                throw CommandFailure(.no, Self.nothing(verb), advice: "Look into the log to see who has done what.")
            }
            if isJSON {
                let digest = try store.read { $0.digest }
                var writer = JSONWriter()
                try writer.object { try write(report, newer, digest, to: &$0, &console) }
                writer.endLine()
                try console.output.write(writer.bytes)
            } else {
                try show(report, &console)
                if !newer.isEmpty { console.note(Self.lastWord(of: newer)) }
            }
            return report.isDone && !staysAway(report) ? .done : .no
        }
    }

    /// - Parameter newer: gets the newer migrations whose rows stay as they are.
    private func carryOut(in store: Store, _ newer: inout [String]) throws -> ChangeSet.Report? {
        let resolution = resolution.resolution
        switch verb {
        case .revert(let selections):
            let reverted = try store.revertKeepingNewerExports(
                selections,
                resolving: resolution,
                isPlan: isPlanOnly,
                context: CommitContext(intent: "revert")
            )
            newer = reverted.newerMigrations
            return reverted.report
        case .restore(let entity, let point):
            try point?.check(in: store)
            let model = try store.schema.model(typed: entity.model).name
            let reference = EntityReference(model: model, id: entity.id)
            return try store.restore(reference, asOf: point, resolving: resolution, isPlan: isPlanOnly)
        case .undo(let actor): return try store.undo(by: actor, resolving: resolution, isPlan: isPlanOnly)
        case .redo(let actor): return try store.redo(by: actor, resolving: resolution, isPlan: isPlanOnly)
        case .merge(let branch):
            return try branch.open(for: .reading) {
                try store.merge($0, resolving: resolution, isPlan: isPlanOnly)
            }
        case .apply(let path):
            return try store.apply(try ChangeFileCommand.read(path), resolving: resolution, isPlan: isPlanOnly)
        }
    }

    private static func nothing(_ verb: Verb) -> String {
        switch verb {
        case .redo: "There is nothing to bring back."
        default: "There is nothing to take back."
        }
    }

    /// `m9 is a newer migration of the same source. …`
    private static func lastWord(of newer: [String]) -> String {
        let names = Wording.list(newer, "and", limit: 5)
        guard newer.count > 1 else {
            return "\(names) is a newer migration of the same source: the rows of the source stay as they are. "
                + "Name it as well to take them back."
        }
        return "\(names) are newer migrations of the same sources: the rows of these stay as they are. "
            + "Name them as well to take them back."
    }

    /// Conflicts may be many: they do not wait in memory for the last one.
    private func write(
        _ report: ChangeSet.Report,
        _ newer: [String],
        _ digest: StateDigest,
        to writer: inout JSONWriter,
        _ console: inout Console
    ) throws {
        writer.key("took")
        writer.array { writer in for position in report.takenBack { writer.value(position.rawValue) } }
        if let commit = report.commit { writer.member("position", commit.rawValue) }
        if !newer.isEmpty {
            writer.key("newer")
            writer.array { writer in for migration in newer { writer.value(migration) } }
        }
        writer.member("changed", report.counts.entities)
        for (name, conflicts) in [("conflicts", report.conflicts), ("settled", report.settled)] {
            if name == "settled", conflicts.isEmpty { continue }
            writer.key(name)
            try writer.objects(conflicts) { conflict, writer in
                try writer.pass { try console.output.write($0) }
                writer.members(conflict.entity)
                switch conflict.kind {
                case .changed(let attribute, let base, let ours, let theirs):
                    writer.member("name", attribute)
                    writer.member("base", base)
                    writer.member("ours", ours)
                    writer.member("theirs", theirs)
                default: break
                }
                writer.member("message", conflict.description)
            }
        }
        writer.member("digest", digest.description)
    }

    private func show(_ report: ChangeSet.Report, _ console: inout Console) throws {
        for conflict in report.settled.prefix(Self.shownCountMax) {
            try console.output.line("  " + ChangeOutput.fitted(conflict.description, console))
        }
        guard report.isDone else { return try show(report.conflicts, &console) }
        if case .revert = verb, report.commit == nil, !isPlanOnly {
            return try console.output.line("Nothing was written: nothing would be different.")
        }
        if staysAway(report), case .restore(let entity, _) = verb {
            let name = DisplayWidth.visible(entity.description)
            return try console.output.line("Nothing was written: \(name) stays away.")
        }
        let nothing = isPlanOnly ? "nothing would be changed" : "nothing was changed"
        let what = report.counts.isEmpty ? nothing : ChangeOutput.summary(report.counts)
        let head = report.commit.map { " The head is \($0)." } ?? ""
        try console.output.line("\(deed(report)): \(what).\(head)")
    }

    /// Whether an entity that was to come back does not, because of what is newer.
    private func staysAway(_ report: ChangeSet.Report) -> Bool {
        guard case .restore = verb else { return false }
        return report.isDone && report.counts.isEmpty && !report.settled.isEmpty
    }

    private func show(_ conflicts: ChangeSet.Conflicts, _ console: inout Console) throws {
        let more = conflicts.count - Self.shownCountMax
        try console.output.line("Nothing was written, because of \(Quantity.count(conflicts.count, "conflict")):")
        for conflict in conflicts.prefix(Self.shownCountMax) {
            try console.output.line("  " + ChangeOutput.fitted(conflict.description, console))
        }
        if more > 0 { try console.output.line("  and \(Quantity.count(more)) more; --json shows all of them.") }
        switch verb {
        case .merge:
            try console.output.line("With --keep-later the store's side holds, with --force the branch's.")
        case .apply:
            try console.output.line("With --keep-later the store's side holds, with --force the file's.")
        case .revert, .restore, .undo, .redo:
            try console.output.line("With --keep-later what is newer stays, with --force it is overwritten.")
        }
        let count = conflicts.count { !$0.canBeTheirs }
        if count > 0 {
            let some = count == conflicts.count ? "this" : "\(count) of them"
            let reason = "a row is gone, or a rule of the schema stands against it"
            try console.output.line("--force cannot settle \(some): \(reason).")
        }
    }

    private static let shownCountMax = 10

    /// `Took back 14 and 12`, `Would restore track "a"`
    private func deed(_ report: ChangeSet.Report) -> String {
        let commits = Wording.list(report.takenBack.map { "\($0)" }, "and", limit: 5)
        switch verb {
        case .restore(let entity, _):
            return (isPlanOnly ? "Would restore " : "Restored ") + DisplayWidth.visible(entity.description)
        case .redo: return (isPlanOnly ? "Would bring back " : "Brought back ") + commits
        case .merge(let branch): return (isPlanOnly ? "Would merge " : "Merged ") + DisplayWidth.visible(branch.path)
        case .apply(let path): return (isPlanOnly ? "Would apply " : "Applied ") + DisplayWidth.visible(path)
        case .revert, .undo: return (isPlanOnly ? "Would take back " : "Took back ") + commits
        }
    }
}
