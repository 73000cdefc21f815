import Reprise

/// `reprise history`: what commits have made of one entity, the newest first.
struct HistoryCommand: Command {
    var store: StoreLocation
    var entity: EntityReference
    /// At most so many commits.
    var limit: Int?
    /// Whether commits that a rollback has taken back are shown as well.
    var includesDead = false
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        guard limit != 0 else { return .done }
        return try store.open(for: .reading) { store in
            let model = try store.schema.model(typed: entity.model).name
            let entity = EntityReference(model: model, id: entity.id)
            var shown = 0
            try store.read { state in
                try state.forEachVersion(of: entity, includingDead: includesDead) { version in
                    if console.interruption.isRequested() { throw CommandFailure.interrupted }
                    if isJSON {
                        try console.json { Self.write(version, to: &$0) }
                    } else {
                        try Self.show(version, &console)
                    }
                    shown += 1
                    return shown != limit
                }
            }
            if shown == 0 { throw CommandFailure.missing(entity) }
            return .done
        }
    }

    private static func write(_ version: CommitRecord.EntityVersion, to writer: inout JSONWriter) {
        writer.member("position", version.commit.lastPosition.rawValue)
        writer.member("at", version.commit.at)
        writer.member("actor", version.commit.actor)
        writer.member("intent", version.commit.intent)
        if let causation = version.commit.causation { writer.member("causation", causation.rawValue) }
        if !version.isLive { writer.member("dead", true) }
        ChangeOutput.write(version.change, lists: version.lists.map { ($0.name, $0.from, $0.to) }, to: &writer)
    }

    private static func show(_ version: CommitRecord.EntityVersion, _ console: inout Console) throws {
        let actor = version.commit.actor.isEmpty ? "" : "by \(version.commit.actor)"
        let dead = version.isLive ? "" : "(taken back by a rollback)"
        let words = [
            "\(version.commit.lastPosition)", Timestamp.text(version.commit.at), version.change.kind.rawValue,
            version.commit.deed, actor, dead,
        ]
        let head = ChangeOutput.fitted(words.filter { !$0.isEmpty }.joined(separator: "  "), console)
        try console.output.line(TextStyle.bold.applied(to: head, in: console.outputTraits))
        try ChangeOutput.showFields(of: version.change, indent: "    ", &console)
        for entry in version.change.entries {
            let owner = entry.owner == version.change.entity ? "" : " of \(entry.owner)"
            let line = "    \(entry.list)\(owner): \(entry.kind.rawValue) \(entry.target)"
            try console.output.line(ChangeOutput.fitted(line, console))
        }
    }
}

/// `reprise blame`: for each field and list of an entity the commit that has made it what it is.
struct BlameCommand: Command {
    var store: StoreLocation
    var entity: EntityReference
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: .reading) { store in
            let model = try store.schema.model(typed: entity.model).name
            let entity = EntityReference(model: model, id: entity.id)
            let (isThere, blames) = try store.read { state in
                (try state.record(model: model, id: entity.id, lists: false) != nil, try state.blame(entity))
            }
            guard isThere else { throw CommandFailure.missing(entity) }
            for blame in blames where isJSON {
                try console.json { writer in
                    writer.member("name", blame.name)
                    writer.member("position", blame.commit.lastPosition.rawValue)
                    writer.member("at", blame.commit.at)
                    writer.member("actor", blame.commit.actor)
                    writer.member("intent", blame.commit.intent)
                    if let causation = blame.commit.causation { writer.member("causation", causation.rawValue) }
                    writer.member("value", blame.value)
                }
            }
            if !isJSON { try Self.show(blames, &console) }
            return .done
        }
    }

    private static func show(_ blames: [CommitRecord.Blame], _ console: inout Console) throws {
        let rows = blames.map { blame in
            [
                blame.name, "\(blame.commit.lastPosition)", Timestamp.text(blame.commit.at), blame.commit.actor,
                blame.commit.deed, ChangeOutput.word(blame.value),
            ].map { DisplayWidth.visible($0) }
        }
        let widths = (0..<6).map { column in rows.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                column == 5 ? cell : cell + String(repeating: " ", count: widths[column] - DisplayWidth.of(cell))
            }
            try console.output.line(ChangeOutput.fitted(cells.joined(separator: "  "), console))
        }
    }
}
