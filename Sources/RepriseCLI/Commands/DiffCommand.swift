import Reprise

/// `reprise diff` and `branch diff`: what has to happen to one state so that it is another.
struct DiffCommand: Command {
    var store: StoreLocation
    /// The state before.
    var from = Point.head
    /// The state afterwards.
    var to = Point.head
    /// Whose head is the state afterwards, in the place of one of the store.
    var branch: StoreLocation?
    /// Only entities of this model.
    var model: String?
    /// Only the entity with this identifier.
    var id: String?
    /// A new file that gets the changes, in the place of an answer.
    var output: String?
    var isJSON = false

    var isQuestion: Bool { output == nil }

    func run(in console: inout Console) throws -> Outcome {
        try store.open(for: .reading) { store in
            guard let branch else {
                try from.check(in: store)
                try to.check(in: store)
                let changes = try store.difference(from: from, to: to)
                if let output {
                    try write(changes, to: output, &console)
                } else {
                    try show(changes, from: store, to: store, &console)
                }
                return
            }
            try branch.open(for: .reading) { branch in
                try show(try store.difference(to: branch), from: store, to: branch, &console)
            }
        }
        return .done
    }

    private func write(_ changes: ChangeSet, to path: String, _ console: inout Console) throws {
        try CommandFailure.creating { try changes.write(to: path) }
        guard isJSON else {
            let summary = ChangeOutput.summary(changes.counts)
            return try console.output.line("Wrote \(DisplayWidth.visible(path)): \(summary).")
        }
        try console.json { writer in
            writer.member("file", path)
            ChangeFileCommand.write(changes, to: &writer)
        }
    }

    /// - Parameters:
    ///   - before: the store that has the state before.
    ///   - after: the store that has the state afterwards.
    private func show(
        _ changes: ChangeSet,
        from before: Store,
        to after: Store,
        _ console: inout Console
    ) throws {
        let model = try model.map { try before.schema.model(typed: $0).name }
        if !isJSON, model == nil, id == nil {
            let summary = ChangeOutput.summary(changes.counts)
            try console.output.line(summary.prefix(1).uppercased() + summary.dropFirst() + ".")
        }
        // Lists are shown as a whole, as they were at both points.
        try before.read(asOf: .position(changes.from)) { before in
            try after.read(asOf: .position(changes.to)) { after in
                try changes.forEach { change in
                    if console.interruption.isRequested() { throw CommandFailure.interrupted }
                    guard isWanted(change.entity, model) else { return true }
                    if isJSON {
                        let lists = try Self.lists(of: change, before, after)
                        try console.json { writer in
                            writer.members(change.entity)
                            ChangeOutput.write(change, lists: lists, to: &writer)
                        }
                    } else {
                        try ChangeOutput.show(change, &console)
                    }
                    return true
                }
            }
        }
    }

    private func isWanted(_ entity: EntityReference, _ model: String?) -> Bool {
        if let model, entity.model != model { return false }
        return id.map { entity.id.utf8.elementsEqual($0.utf8) } ?? true
    }

    /// The lists of an entity whose entries are different.
    private static func lists(
        of change: ChangeSet.EntityChange,
        _ before: borrowing ReadTransaction,
        _ after: borrowing ReadTransaction
    ) throws -> [(name: String, from: [String], to: [String])] {
        var names: [String] = []
        for entry in change.entries where entry.owner == change.entity && !names.contains(entry.list) {
            names.append(entry.list)
        }
        if names.isEmpty { return [] }
        let (model, id) = (change.entity.model, change.entity.id)
        let from = try before.record(model: model, id: id)?.lists ?? []
        let to = try after.record(model: model, id: id)?.lists ?? []
        return names.map { name in
            let old = from.first { $0.name == name }?.targets ?? []
            return (name, old, to.first { $0.name == name }?.targets ?? [])
        }
    }
}
