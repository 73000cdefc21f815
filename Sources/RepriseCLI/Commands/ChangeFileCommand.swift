import Reprise

/// `reprise changes`: what a file of changes says.
struct ChangeFileCommand: Command {
    /// The file.
    var path: String
    /// Only entities of this model.
    var model: String?
    /// Only the entity with this identifier.
    var id: String?
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let changes = try Self.read(path)
        if !isJSON, model == nil, id == nil {
            let summary = ChangeOutput.summary(changes.counts)
            try console.output.line("From position \(changes.from) to \(changes.to): \(summary).")
        }
        try changes.forEach { change in
            if console.interruption.isRequested() { throw CommandFailure.interrupted }
            if let model, change.entity.model != model { return true }
            if let id, !change.entity.id.utf8.elementsEqual(id.utf8) { return true }
            if isJSON {
                try console.json { writer in
                    writer.members(change.entity)
                    ChangeOutput.write(change, to: &writer)
                }
            } else {
                try ChangeOutput.show(change, &console)
            }
            return true
        }
        return .done
    }

    /// The set of changes in a file.
    static func read(_ path: String) throws -> ChangeSet {
        do {
            return try ChangeSet(contentsOf: path)
        } catch let error as StoreError where error.code == .inputOutput {
            throw CommandFailure(.noInput, error.message, advice: "Check the path of the file.")
        }
    }

    /// The members that tell how much a set of changes has.
    static func write(_ changes: ChangeSet, to writer: inout JSONWriter) {
        writer.member("from", changes.from.rawValue)
        writer.member("to", changes.to.rawValue)
        writer.member("inserted", changes.counts.inserted)
        writer.member("updated", changes.counts.updated)
        writer.member("deleted", changes.counts.deleted)
    }
}
