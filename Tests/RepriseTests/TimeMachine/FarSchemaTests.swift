import FaultSupport
import Reprise
import Testing

/// States from before and after a change of the schema, built and met in memory.
struct FarSchemaTests {
    private typealias One = Archive.One
    private typealias Two = Archive.Two

    /// A store that was changed in every way there is, with commits before and after, and rollbacks.
    private static func make(_ path: String) throws {
        try Archive.fill(40, at: path)
        let first = try Store.open(at: path, schema: One.schema)
        try first.write { transaction in
            for number in stride(from: 0, to: 40, by: 3) {
                try transaction.update(One.Card.self, id: .init("card-\(number)")) { $0.title = "changed \(number)" }
            }
            _ = try transaction.delete(One.Card.self, id: "card-5")
        }
        first.close()
        let second = try Store.open(at: path, schema: Two.schema)
        defer { second.close() }
        try second.write { transaction in
            for number in stride(from: 1, to: 40, by: 7) {
                try transaction.update(Two.Card.self, id: .init("card-\(number)")) { $0.heading = "later \(number)" }
            }
        }
        let middle = try second.statistics().head
        try second.write { transaction in
            _ = try transaction.delete(Two.Card.self, id: "card-8")
            try transaction.insert(Archive.second(77))
        }
        try second.rollback(to: .position(middle))
        try second.write { _ = try $0.delete(Two.Card.self, id: "card-9") }
    }

    private static func open(_ path: String, bound: Int) throws -> Store {
        try Store.open(at: path, schema: Two.schema, configuration: TwinStores.configuration(bound: bound))
    }

    /// HIS-80, STO-86
    @Test func `a state of an earlier schema says the same, built or not, by the names of now and of then`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = scratch("store")
        try Self.make(path)
        var answers: [[[String]]] = []
        for bound in [Int.max, 0] {
            let store = try Self.open(path, bound: bound)
            defer { store.close() }
            let head = try store.statistics().head.rawValue
            let positions = stride(from: 0, through: head, by: 9).map { Position(rawValue: $0) }
            answers.append(try positions.map { try Self.answers(store, .position($0)) })
            #expect(store.builtStateCount == 0 || bound == 0)
        }
        #expect(answers[0].count > 10)
        #expect(answers[0] == answers[1])
    }

    private static func answers(_ store: Store, _ point: Point) throws -> [String] {
        let now = try store.read(asOf: point) { state in
            var lines = ["\(state.digest)"] + state.counts.map { "\($0)" }
            for model in state.schema.models {
                lines += try state.records(RecordQuery(model: model.name)).map { "\($0)" }
            }
            lines += try state.fetch(FetchDescriptor<Two.Card>().sorted(by: \.heading)).map { "\($0)" }
            for number in 0..<10 {
                // What a function made later is refused, and in the same words.
                let query = FetchDescriptor<Two.Card>().where { $0.stars == number }
                do { lines += try state.fetch(query).map(\.id.rawValue) } catch { lines.append("\(error)") }
                lines += try state.fetch(FetchDescriptor<Two.Card>().where { $0.code == number }).map(\.id.rawValue)
            }
            for words in ["title", "changed", "later 8", "title 3"] {
                lines += try state.search(Two.Card.self, words, limit: nil).map { "\($0)" }
            }
            return lines
        }
        let then = try store.read(asOf: point, underSchemaOfThen: true) { state in
            try state.schema.models.flatMap { model in
                try state.records(RecordQuery(model: model.name)).map { "\(model.name) \($0)" }
            }
        }
        return now + then
    }

    /// HIS-28
    @Test func `rollbacks before and after a change of the schema are the same both ways`() throws {
        let scratch = try Scratch(inMemory: true)
        let paths = ["travelling", "building"].map { scratch($0) }
        var outcomes: [[String]] = []
        for (path, bound) in zip(paths, [Int.max, 0]) {
            try Self.make(path)
            let store = try Self.open(path, bound: bound)
            defer { store.close() }
            let head = Int(try store.statistics().head.rawValue)
            var lines: [String] = []
            for target in [head - 1, 60, head - 3, 30, head, 20, 1, 0, 50] {
                let report = try store.rollback(to: .position(Position(rawValue: UInt64(target))))
                let statistics = try store.statistics()
                lines += ["\(report)", "\(statistics.digest) \(statistics.counts)"]
            }
            outcomes.append(lines)
            #expect(try store.verify().faults == [])
            #expect(store.builtStateCount > 0 || bound > 0)
        }
        #expect(outcomes[0] == outcomes[1])
    }
}
