import Reprise

/// `reprise checkpoint keep`, `list` and `prune`: states of snapshots that are kept as files beside the store.
struct CheckpointCommand: Command {
    enum Action: Equatable, Sendable {
        /// Keeps the state of a snapshot.
        case keep(snapshot: String)
        case list
        case prune(all: Bool, isPlanOnly: Bool)
    }

    var store: StoreLocation
    var action: Action
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        // The store itself stays as it is.
        try store.open(for: .reading) { store in
            switch action {
            case .keep(let name):
                let made = try Self.keep(name, of: store, &console)
                if isJSON { try show([made], &console) } else { try console.output.line(made.summary) }
            case .list:
                let found = try store.checkpoints()
                if found.isEmpty, !isJSON { return console.noteNothing("There are no checkpoints.") }
                try show(found, &console)
            case .prune(let all, let isPlanOnly):
                let removed = try CommandFailure.creating {
                    try store.pruneCheckpoints(all: all, isPlan: isPlanOnly)
                }
                if isJSON || !removed.isEmpty { try show(removed, &console) }
                if !isJSON { try console.output.line(Self.summary(removed, isPlanOnly)) }
            }
        }
        return .done
    }

    /// Keeps the state of a snapshot, and shows how far that is.
    static func keep(_ name: String, of store: Store, _ console: inout Console) throws -> Snapshot.Checkpoint {
        let progress = console.progress("Keeping the state", unit: "event")
        let interruption = console.interruption
        defer { progress.finish() }
        return try CommandFailure.creating {
            try store.keepState(ofSnapshot: name) { progress.note($0, interruption) }
        }
    }

    private static func summary(_ removed: [Snapshot.Checkpoint], _ isPlanOnly: Bool) -> String {
        guard !removed.isEmpty else { return "No checkpoint is to be removed." }
        let byteCount = removed.reduce(0) { $0 + $1.byteCount }
        return "\(isPlanOnly ? "Would remove" : "Removed") \(Quantity.count(removed.count, "checkpoint")), "
            + "\(Quantity.bytes(byteCount))."
    }

    private func show(_ checkpoints: [Snapshot.Checkpoint], _ console: inout Console) throws {
        if isJSON {
            for checkpoint in checkpoints { try console.json { $0.members(checkpoint) } }
            return
        }
        let rows = checkpoints.map { checkpoint in
            [
                checkpoint.position.description, checkpoint.snapshots.joined(separator: ", "),
                Quantity.bytes(checkpoint.byteCount), checkpoint.verdict, checkpoint.fileName,
            ]
        }
        let table = TextTable(
            [
                .init(heading: "position", isNumeric: true), .init(heading: "snapshots"),
                .init(heading: "size", isNumeric: true), .init(heading: "state"), .init(heading: "file"),
            ],
            sample: rows,
            in: console.outputTraits
        )
        try console.output.line(table.header)
        for row in rows { try console.output.line(table.line(row)) }
    }
}

extension Snapshot.Checkpoint {
    /// What was made, in a sentence.
    var summary: String {
        "The state at position \(position) is kept in \(DisplayWidth.visible(path)), \(Quantity.bytes(byteCount))."
    }

    fileprivate var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }

    fileprivate var verdict: String {
        switch fault {
        case nil: "usable"
        case .damaged: "damaged"
        case .newerFormat: "of a newer version"
        case .otherLog: "of another log"
        case .otherSchema: "of another schema"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(_ checkpoint: Snapshot.Checkpoint) {
        member("position", checkpoint.position.rawValue)
        if let digest = checkpoint.digest { member("digest", digest.description) }
        member("bytes", checkpoint.byteCount)
        key("snapshots")
        array { writer in
            for name in checkpoint.snapshots { writer.value(name) }
        }
        if let fault = checkpoint.fault { member("fault", "\(fault)") }
        member("file", checkpoint.path)
    }
}
