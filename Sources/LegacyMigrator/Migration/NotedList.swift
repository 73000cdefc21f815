import Reprise

/// A long list as `migration.progress` names it while it is put in order, or respaced for want of room, in several
/// commits.
struct NotedList: Equatable {
    let owner: EntityReference
    let list: String

    init(owner: EntityReference, list: String) {
        self.owner = owner
        self.list = list
    }

    /// What the log has of it.
    init?(_ names: [String]?) {
        guard let names, names.count == 3 else { return nil }
        self.init(owner: EntityReference(model: names[0], id: names[1]), list: names[2])
    }

    /// What it has in the log, as JSON.
    var names: [String] { [owner.model, owner.id, list].map(JSONText.quoted) }
}

extension MigrationWriter {
    /// Goes on where an interrupted run of the migration was in the midst of a long list: nothing that stands in the
    /// list says so.
    func takeUpLongList(in store: Store, _ loader: inout BulkLoader) throws {
        try store.read { state in
            guard
                let annotation = try state.annotation(
                    name: MigrationLog.progress,
                    key: migration.source
                ), annotation.position > migration.firstPosition
            else { return }
            let payload = try MigrationLog.decode(MigrationLog.Progress.self, annotation)
            guard payload.migration == migration.id else { return }
            respacing = NotedList(payload.respacing)
            interrupted = NotedList(payload.arranging)
            arranging = interrupted
        }
        while let list = respacing {
            try batch(.ordering, &loader) { transaction in
                do {
                    let count = try respace(list.list, of: list.owner, &transaction)
                    if count > 0 { didWrite() }
                } catch let error as StoreError where Self.isGone(error) {
                    // Somebody else has deleted it since, or it was never there.
                    respacing = nil
                }
            }
        }
    }

    private static func isGone(_ error: StoreError) -> Bool {
        [.entityMissing, .unknownModel, .unknownRelationship].contains(error.code)
    }
}
