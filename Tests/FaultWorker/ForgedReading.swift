import FaultSupport
import Reprise

/// Uses forged copies of a store in every way that a tool has, and writes down before and after each what came of it,
/// so that it is known what a crash belongs to.
struct ForgedReading {
    private let original: String
    private let work: String
    private let seed: UInt64
    private let range: Range<Int>
    private let results: AcknowledgementFile

    init(_ input: Input) {
        original = input["original"]
        work = input["work"]
        seed = UInt64(input.number("seed"))
        range = input.number("from")..<input.number("to")
        results = AcknowledgementFile(path: input["results"])
    }

    func run() throws {
        let whole = contents(ofFile: original)
        for number in range {
            replaceContents(ofFile: work + "/data.mdb", with: whole)
            try Forgery(seed: seed, number: number).apply(at: work)
            let attempt = Attempts(number, results)
            attempt("open") {
                let store = try Store.open(existing: work)
                defer { store.close() }
                attempt("read") { try store.read { read($0, attempt) } }
                use(store, attempt)
            }
            results.append("\(number) ends \(attempt.untyped.joined(separator: "; "))\n")
        }
    }

    private func read(_ transaction: borrowing ReadTransaction, _ attempt: Attempts) {
        for model in transaction.schema.models {
            attempt("ids of \(model.name)") {
                _ = try transaction.fetchIDs(RecordQuery(model: model.name))
            }
            attempt("records of \(model.name)") {
                for record in try transaction.records(RecordQuery(model: model.name)).prefix(3) {
                    _ = try transaction.plan(delete: EntityReference(model: model.name, id: record.id))
                }
            }
            if model.search != nil {
                attempt("search of \(model.name)") {
                    _ = try transaction.records(RecordSearch(model: model.name, text: "a* -b"))
                }
            }
            for attribute in model.attributes {
                let path: FieldPath = [attribute.name]
                attempt("\(model.name).\(attribute.name)") {
                    var query = RecordQuery(model: model.name, filter: .not(.isNil(path)))
                    _ = try transaction.count(query)
                    query.sort = [SortKey(path)]
                    query.limit = 5
                    _ = try transaction.records(query)
                    _ = try transaction.explain(query)
                }
                attempt("groups by \(model.name).\(attribute.name)") {
                    let rows = RecordQuery(model: model.name)
                    _ = try transaction.groups(AggregateQuery(rows, by: [path], [.count]))
                    _ = try transaction.groups(
                        AggregateQuery(rows, [.min(path), .max(path), .countDistinct(path)])
                    )
                    _ = try transaction.groups(AggregateQuery(rows, [.sum(path), .average(path)]))
                }
            }
        }
        attempt("log") { try transaction.forEachCommit(reversed: true) { _ in true } }
    }

    private func use(_ store: Store, _ attempt: Attempts) {
        attempt("statistics") { _ = try store.statistics() }
        attempt("past") {
            let head = try store.statistics().head.rawValue
            try store.read(asOf: .position(Position(rawValue: head / 2))) { read($0, attempt) }
        }
        attempt("snapshots") {
            for snapshot in try store.snapshots() {
                try store.read(asOf: .snapshot(snapshot.name)) { _ = $0.counts }
            }
        }
        attempt("verify") { _ = try store.verify() }
        let models = (try? store.read { $0.schema.models }) ?? []
        for model in models {
            attempt("write of \(model.name)") {
                let ids = try store.read { try $0.fetchIDs(RecordQuery(model: model.name, limit: 3)) }
                for id in ids + ["new"] {
                    attempt("put of \(model.name)") {
                        try store.write { transaction in
                            for attribute in model.attributes where attribute.type == .string {
                                _ = try transaction.put(
                                    EntityReference(model: model.name, id: id),
                                    values: [attribute.name: .string("changed")]
                                )
                            }
                        }
                    }
                }
                guard let id = ids.last else { return }
                attempt("delete of \(model.name)") {
                    try store.write { _ = try $0.delete(EntityReference(model: model.name, id: id)) }
                }
            }
        }
        attempt("rollback") {
            try store.rollback(to: .position(Position(rawValue: store.statistics().head.rawValue / 2)))
        }
        attempt("replay") { try store.replay() }
        attempt("replay with little memory") { try store.replay(memoryByteCount: 1) }
    }
}

/// What is done with one store, one thing after the other.
private final class Attempts {
    private(set) var untyped: [String] = []
    private let number: Int
    private let results: AcknowledgementFile

    init(_ number: Int, _ results: AcknowledgementFile) {
        self.number = number
        self.results = results
    }

    /// A typed error is an answer.
    func callAsFunction(_ what: String, _ body: () throws -> Void) {
        results.append("\(number) \(what) begins\n")
        do {
            try body()
        } catch {
            if !(error is StoreError) { untyped.append("\(what): \(error)") }
        }
    }
}
