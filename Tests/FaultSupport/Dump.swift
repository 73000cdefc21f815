package import Reprise

/// All that the public functions tell of a store: its present, its past and its log.
///
/// Reading goes on after an error, in the same transaction too, as a careless caller would.
package struct Dump: Equatable, Sendable {
    package var present: Content?
    package var indexes: IndexAnswers?
    package var past: Content?
    package var log: [String] = []
    package var snapshots: [Snapshot] = []
    package var errors: [any Error] = []

    /// - Parameter past: a position whose state is read as well.
    package init(of store: Store, past position: Position) {
        var errors: [any Error] = []
        func attempt<R>(_ body: () throws -> R) -> R? {
            do {
                return try body()
            } catch {
                errors.append(error)
                return nil
            }
        }
        let answers = attempt {
            try store.read { transaction in
                let present = attempt { try Content(transaction) }
                let indexes = attempt { try IndexAnswers(transaction) }
                _ = attempt { try transaction.fetch(Item.self, id: "item-5") }
                _ = attempt { try transaction.count(FetchDescriptor<Shelf>()) }
                return (present, indexes)
            }
        }
        present = answers?.0
        indexes = answers?.1
        past = attempt { try store.read(asOf: .position(position)) { try Content($0) } }
        log = attempt { try Self.log(of: store) } ?? []
        snapshots = attempt { try store.snapshots() } ?? []
        self.errors = errors
    }

    private static func log(of store: Store) throws -> [String] {
        var log: [String] = []
        try store.read { transaction in
            try transaction.forEachCommit { commit in
                log.append("\(commit.position) \(commit.hash) \(commit.digest)")
                for event in commit.events { log.append("\(event)") }
                return true
            }
        }
        return log
    }

    package static func == (left: Dump, right: Dump) -> Bool {
        left.present == right.present && left.indexes == right.indexes && left.past == right.past
            && left.log == right.log && left.snapshots == right.snapshots
    }
}
