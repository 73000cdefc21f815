import LegacyMigration
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reprise log`: commits with their events, oldest first; of rows that a migration wrote, also when they were made and
/// changed in the store that they come from, where that store knew.
struct LogCommand: Command {
    var store: StoreLocation
    var from: Position?
    var to: Position?
    var isReversed = false
    /// The most commits that are shown.
    var limit: Int?
    /// Show only events of this model, and only commits that have some.
    var model: String?
    /// Show only events of this entity, and only commits that have some.
    var id: String?
    /// Show only commits of this actor.
    var actor: String?
    /// Show only commits with this intent.
    var intent: String?
    /// Show only commits that were not made before, by the clock of then.
    var since: Date?
    /// A line for each commit, without its events.
    var isOneLine = false
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        guard limit != 0 else { return .done }
        return try store.open(for: .reading) { store in
            let model = try model.map { try store.schema.model(typed: $0).name }
            try store.read { transaction in
                var shown = 0
                try transaction.forEachCommit(
                    from: from ?? .origin,
                    to: to,
                    reversed: isReversed,
                    where: { isWanted($0, model) || Self.saysTimes($0) }
                ) { commit in
                    if console.interruption.isRequested() { throw CommandFailure.interrupted }
                    let events = commit.events.filter { isWanted($0, model) }
                    if events.isEmpty || !isWanted(commit) { return true }
                    let times = Self.times(in: commit)
                    if isOneLine {
                        try line(Self.summary(commit, events), &console)
                    } else if isJSON {
                        try console.json { Self.write(commit, events, times, to: &$0) }
                    } else {
                        try show(commit, events, times, isFirst: shown == 0, &console)
                    }
                    shown += 1
                    return shown != limit
                }
                if shown == 0, !isJSON { console.noteNothing("No commit fits.") }
            }
            return .done
        }
    }

    private func isWanted(_ commit: CommitRecord) -> Bool {
        if let actor, commit.actor != actor { return false }
        if let intent, commit.intent != intent { return false }
        return since.map { commit.at >= $0 } ?? true
    }

    private func isWanted(_ event: EventRecord, _ model: String?) -> Bool {
        if let model, event.entity?.model != model { return false }
        guard let id else { return true }
        return event.entity?.id.utf8.elementsEqual(id.utf8) ?? false
    }

    /// When rows were made and changed in the store that they come from.
    private typealias Times = [EntityReference: LegacyTimes]

    private static func saysTimes(_ event: EventRecord) -> Bool {
        event.annotation?.name == LegacyTimes.annotationName
    }

    private static func times(in commit: CommitRecord) -> Times {
        // Somebody else may have written an annotation of this name: it is shown as any other, and says no times.
        (try? LegacyTimes.recorded(in: commit.events.compactMap(\.annotation))) ?? [:]
    }

    /// What is known of the row that an event has written.
    private static func times(of event: EventRecord, _ times: Times) -> LegacyTimes? {
        guard let entity = event.entity, event.type == "inserted" || event.type == "updated" else {
            return nil
        }
        return times[entity]
    }

    private static func write(
        _ commit: CommitRecord,
        _ events: [EventRecord],
        _ times: Times,
        to writer: inout JSONWriter
    ) {
        writer.member("position", commit.position.rawValue)
        writer.member("lastPosition", commit.lastPosition.rawValue)
        writer.member("at", commit.at)
        writer.member("intent", commit.intent)
        writer.member("actor", commit.actor)
        if !commit.correlation.isEmpty { writer.member("correlation", commit.correlation) }
        if let causation = commit.causation { writer.member("causation", causation.rawValue) }
        writer.member("schema", commit.schema)
        writer.member("hash", commit.hash)
        writer.key("events")
        writer.objects(events) { event, writer in
            write(event, to: &writer)
            guard let times = Self.times(of: event, times) else { return }
            writer.key("sourceTimes")
            writer.object { writer in
                if let created = times.created { writer.member("created", created) }
                if let changed = times.changed { writer.member("changed", changed) }
            }
        }
    }

    private static func write(_ event: EventRecord, to writer: inout JSONWriter) {
        writer.member("position", event.position.rawValue)
        writer.member("type", event.type)
        writer.member("version", event.version)
        if let entity = event.entity { writer.members(entity) }
        if let cause = event.cause { writer.member("cause", cause.rawValue) }
        writer.key("changes")
        writer.object { writer in
            for change in event.changes {
                writer.key(change.name)
                writer.object { writer in
                    writer.member("from", change.from)
                    writer.member("to", change.to)
                }
            }
        }
    }

    /// The position at the end of the commit, as all verbs name it:
    /// `1204  2024-05-31T12:00:00Z  playlist.reorder  by anna  3 events of playlist and track`
    private static func summary(_ commit: CommitRecord, _ events: [EventRecord]) -> String {
        var models: [String] = []
        for case let model? in events.map(\.entity?.model) where !models.contains(model) { models.append(model) }
        let what = Quantity.count(events.count, "event") + (models.isEmpty ? "" : " of \(Wording.list(models, "and"))")
        let actor = commit.actor.isEmpty ? "" : "by \(commit.actor)"
        return ["\(commit.lastPosition)", Timestamp.text(commit.at), commit.deed, actor, what]
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func show(
        _ commit: CommitRecord,
        _ events: [EventRecord],
        _ times: Times,
        isFirst: Bool,
        _ console: inout Console
    ) throws {
        if !isFirst { try console.output.line() }
        let head = "commit \(commit.lastPosition)"
        let actor = commit.actor.isEmpty ? "" : "by \(commit.actor)"
        let words = [Timestamp.text(commit.at), commit.deed, actor].filter { !$0.isEmpty }
        let text = Self.fitted(([head] + words).joined(separator: "  "), console)
        let start = String(text.prefix(head.count))
        try console.output.line(
            TextStyle.bold.applied(to: start, in: console.outputTraits) + text.dropFirst(head.count)
        )
        for event in events {
            var words = ["  \(event.position)", event.type]
            if let entity = event.entity { words.append(entity.description) }
            if let cause = event.cause { words.append("because of \(cause)") }
            try line(words.joined(separator: " "), &console)
            for change in event.changes {
                let (from, to) = (Self.word(change.from), Self.word(change.to))
                try line("      \(change.name): \(from) → \(to)", &console)
            }
            if let times = Self.times(of: event, times) {
                for (what, time) in [("made", times.created), ("changed", times.changed)] {
                    guard let time else { continue }
                    try line("      \(what) where it comes from: \(Timestamp.text(time))", &console)
                }
            }
        }
    }

    private func line(_ text: String, _ console: inout Console) throws {
        try console.output.line(Self.fitted(text, console))
    }

    /// The text as one line that has room on the screen.
    private static func fitted(_ text: String, _ console: Console) -> String {
        let text = DisplayWidth.visible(text)
        return console.outputTraits.width.map { DisplayWidth.truncated(text, to: $0) } ?? text
    }

    private static func word(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .string(let text): "\"\(text)\""
        default: value.cell
        }
    }
}
