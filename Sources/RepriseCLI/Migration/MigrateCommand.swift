import LegacyMigration
import MusicLibrary
import Reprise

/// `reprise migrate`: replays a legacy export as events. It and `verify-migration` alone know music.
struct MigrateCommand: Command {
    var export: ExportLocation
    var destination: String
    /// Read and count, and write nothing.
    var isDryRun = false
    /// Write nothing if anything would be skipped, rounded or left out.
    var isStrict = false
    /// Take the export for a newer one, though it would delete or change more than half of what is there.
    var replacesAll = false
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        // The export is looked at first: a wrong one leaves nothing behind.
        let legacy = try export.source(into: destination, in: console)
        if let notice = export.mapping.notice(of: legacy) { console.note(notice) }
        let progress = console.progress("Migrating", unit: "byte")
        let summary: MigrationSummary
        do {
            defer { progress.finish() }
            summary = try migrate(legacy, progress: progress, interruption: console.interruption)
        } catch let error as MigrationError where error.code == .replacesMost && !isDryRun && console.canAsk {
            console.note(([error.message] + error.exampleLines).joined(separator: "\n"))
            guard console.ask("Replace what is there?") else { throw CommandFailure.declined }
            var replacing = self
            replacing.replacesAll = true
            let progress = console.progress("Migrating", unit: "byte")
            defer { progress.finish() }
            summary = try replacing.migrate(legacy, progress: progress, interruption: console.interruption)
        }
        if !summary.lostClasses.isEmpty { console.note(summary.lossOfClasses) }
        let advice = self.advice(on: summary)
        if !advice.isEmpty { console.note(String(advice.dropFirst())) }
        if isJSON {
            try console.json(summary.write)
        } else {
            try summary.show(destination, isDryRun: isDryRun, in: &console)
        }
        return .done
    }
}

/// What a migration did, as the contract names it.
struct MigrationSummary: Equatable, Sendable {
    struct Count: Equatable, Sendable {
        var name: String
        var count: Int
    }

    /// The migration that was made, or that brought the store to where the export is; nil where there is none.
    var migration: String?
    /// The snapshot to go back to; nil where nothing was written.
    var snapshotBefore: String?
    var read: [Count]
    var written: [Count]
    /// What the export no longer has and an earlier migration of it had written.
    var deleted: [Count] = []
    var unchanged: Int
    /// In how many rows and lists the export has come to say what was changed here before.
    var agreed = 0
    /// Whether a run would note what was asked for, be there anything else to write or not.
    var notesChoice = false
    /// Whether a run would do just that; of a plan for which there was no room to find out it is estimated.
    var isExact = true
    var warnings: WarningList
    /// The warnings of what is not in the store as in the export.
    var losses: WarningList { warnings.losses }
    var eventCount: UInt64
    var duration: Duration
    var digest: String
    /// The classes of a damaged export that a new store has no models for, because they cannot be read.
    var lostClasses: [String] = []

    /// What is to be known of a new store that lacks classes.
    var lossOfClasses: String {
        let names = DisplayWidth.visible(lostClasses.joined(separator: ", "))
        return
            "Of the damaged file \(names) cannot be read; a store that is made from it has no place for that, for "
            + "good. If you find a sound file, migrate it into a new store."
    }

    func write(to writer: inout JSONWriter) {
        writer.member("migration", migration)
        writer.member("snapshotBefore", snapshotBefore)
        Self.write(read, "read", to: &writer)
        Self.write(written, "written", to: &writer)
        Self.write(deleted, "deleted", to: &writer)
        writer.member("unchanged", unchanged)
        writer.member("agreed", agreed)
        if notesChoice { writer.member("notesChoice", true) }
        if !isExact { writer.member("isExact", false) }
        warnings.write(to: &writer)
        writer.member("events", eventCount)
        writer.member("seconds", Quantity.seconds(duration))
        writer.member("digest", digest)
        guard !lostClasses.isEmpty else { return }
        writer.key("lostClasses")
        writer.array { writer in
            for name in lostClasses { writer.value(name) }
        }
    }

    private static func write(_ counts: [Count], _ name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.object { writer in
            for entry in counts { writer.member(entry.name, entry.count) }
        }
    }

    func show(_ store: String, isDryRun: Bool, in console: inout Console) throws(OutputError) {
        func list(_ counts: [Count]) -> String {
            let counts = counts.filter { $0.count > 0 }
            return counts.isEmpty
                ? "nothing"
                : counts.map { Quantity.records($0.count, $0.name) }.joined(separator: ", ")
        }
        var facts: [(name: String, value: String)] = [
            ("read", list(read)),
            (isDryRun ? "would write" : "written", list(written)),
        ]
        if deleted.contains(where: { $0.count > 0 }) {
            facts.append((isDryRun ? "would delete" : "deleted", list(deleted)))
        }
        facts.append(("unchanged", Quantity.count(unchanged)))
        if agreed > 0 { facts.append(("agreed", Quantity.count(agreed))) }
        if notesChoice { facts.append(("would note", "what was asked for")) }
        if !isExact {
            facts.append(("estimated", "no room in the directory for temporary files to find out"))
        }
        facts += warnings.facts(label: "warning")
        if !isDryRun { facts.append(("events", Quantity.count(eventCount))) }
        facts.append(("time", Quantity.duration(duration)))
        if let migration { facts.append(("migration", migration)) }
        if let snapshotBefore {
            facts.append(("to undo", "reprise rollback \(store) \(snapshotBefore)"))
            if let migration {
                facts.append(("or later", "reprise revert \(store) \(migration), which keeps what was done since"))
            }
        }
        try console.facts(facts)
    }
}
