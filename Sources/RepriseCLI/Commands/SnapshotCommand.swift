import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reprise snapshot`: names positions of the log.
struct SnapshotCommand: Command {
    enum Action: Equatable, Sendable {
        /// Names the head; without a name the time does. The state may be kept as a file.
        case create(name: String?, keepsState: Bool = false)
        case list
        case delete(name: String)
    }

    var store: StoreLocation
    var action: Action
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: action == .list ? .reading : .writing) { store in
            switch action {
            case .create(let name, let keepsState):
                let name = name ?? Self.defaultName(at: Date())
                let context = CommitContext(intent: "snapshot")
                try show([store.createSnapshot(named: name, context: context)], &console)
                if keepsState {
                    // Whether or not the file can be made, the snapshot is there, and is said to be.
                    try console.output.flush()
                    let made = try CheckpointCommand.keep(name, of: store, &console)
                    if !isJSON { try console.output.line(made.summary) }
                }
            case .list: try show(try store.snapshots(), &console)
            case .delete(let name):
                try store.deleteSnapshot(named: name)
                if isJSON {
                    try console.json { $0.member("deleted", name) }
                } else {
                    try console.output.line("Snapshot \"\(DisplayWidth.visible(name))\" deleted.")
                }
            }
            return .done
        }
    }

    /// `snapshot-20240531-120000`: sorts by time and is not mistaken for a date.
    static func defaultName(at date: Date) -> String {
        let digits = Timestamp.text(date).prefix(19).filter(\.isNumber)
        return "snapshot-\(digits.prefix(8))-\(digits.dropFirst(8))"
    }

    private func show(_ snapshots: [Snapshot], _ console: inout Console) throws {
        if isJSON {
            for snapshot in snapshots {
                var writer = JSONWriter()
                writer.snapshot(snapshot)
                writer.endLine()
                try console.output.write(writer.bytes)
            }
            return
        }
        guard !snapshots.isEmpty else { return console.noteNothing("There are no snapshots.") }
        let rows = snapshots.map { snapshot in
            [
                snapshot.name, snapshot.position.description, Timestamp.text(snapshot.createdAt),
                snapshot.digest.description,
            ]
        }
        let table = TextTable(
            [
                .init(heading: "name"), .init(heading: "position", isNumeric: true),
                .init(heading: "created"), .init(heading: "digest"),
            ],
            sample: rows,
            in: console.outputTraits
        )
        try console.output.line(table.header)
        for row in rows { try console.output.line(table.line(row)) }
    }
}
