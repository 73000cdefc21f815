import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// The engine's answers against those of a naive evaluation, over random data and random queries.
struct QueryOracleTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
    }

    private static let peopleCount = 260

    /// People and towns, then changes of all kinds; returns a position half-way.
    private func fill(_ world: inout QueryWorld) throws -> Position {
        try store.write { transaction in
            for number in 0..<6 {
                try transaction.insert(
                    Town(id: Town.ID("t\(number)"), title: world.text(), size: world.maybe(number))
                )
            }
            for number in 0..<Self.peopleCount {
                try transaction.insert(world.person(number, towns: 6, people: number))
            }
            for _ in 0..<300 {
                try transaction.link(
                    Person.friends,
                    from: Person.ID("p\(world.random.below(Self.peopleCount))"),
                    to: Person.ID("p\(world.random.below(Self.peopleCount))")
                )
            }
        }
        let middle = try store.read { $0.position }
        try store.write { try change(&$0, &world) }
        return middle
    }

    private func change(_ transaction: inout WriteTransaction, _ world: inout QueryWorld) throws {
        for _ in 0..<60 {
            let number = world.random.below(Self.peopleCount)
            let id = Person.ID("p\(number)")
            guard try transaction.fetch(Person.self, id: id) != nil else { continue }
            if world.random.once(in: 3) {
                try transaction.delete(Person.self, id: id)
            } else {
                let other = world.person(number, towns: 6, people: 0)
                try transaction.update(Person.self, id: id) { $0 = other }
            }
        }
    }

    private func compare(
        _ query: RecordQuery,
        _ naive: NaiveQuery,
        _ transaction: borrowing some StateReading & ~Copyable,
        _ comment: String
    ) throws {
        let expected = naive.results(query).map(\.id)
        let found = try transaction.records(query, lists: false).map(\.id)
        #expect(found == expected, "\(comment): \(query)")
        #expect(try transaction.fetchIDs(query) == expected, "\(comment), identifiers: \(query)")
        #expect(try transaction.count(query) == expected.count, "\(comment), count: \(query)")
        #expect(try transaction.exists(query) == !expected.isEmpty, "\(comment), exists: \(query)")
    }

    /// QRY-01, QRY-19, QRY-24, QRY-28: what a query finds does not depend on how it is answered.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random queries find what a naive scan finds`(seed: UInt64) throws {
        var world = QueryWorld(random: SeededGenerator(seed: seed))
        let middle = try fill(&world)
        var queries = RandomQuery(world: world)
        let present = try store.read { try NaiveQuery($0) }
        let past = try store.read(asOf: .position(middle)) { try NaiveQuery($0) }
        for number in 0..<120 {
            let query = queries.query()
            try store.read { try compare(query, present, $0, "seed \(seed), query \(number)") }
            if number % 4 == 0 {
                try store.read(asOf: .position(middle)) {
                    try compare(query, past, $0, "seed \(seed), past, query \(number)")
                }
            }
        }
    }

    /// QRY-26
    @Test func `queries in a write see its changes`() throws {
        var world = QueryWorld(random: SeededGenerator(seed: 7))
        _ = try fill(&world)
        var queries = RandomQuery(world: world)
        struct Undone: Error {}
        for round in 0..<4 {
            let asked = (0..<12).map { _ in queries.query() }
            #expect(throws: Undone.self) {
                try store.write { transaction in
                    try change(&transaction, &world)
                    let naive = try NaiveQuery(transaction)
                    for query in asked { try compare(query, naive, transaction, "write \(round)") }
                    throw Undone()
                }
            }
        }
    }

    /// QRY-30
    @Test func `pages follow one another without gaps or repeats`() throws {
        var world = QueryWorld(random: SeededGenerator(seed: 11))
        let middle = try fill(&world)
        var queries = RandomQuery(world: world)
        for number in 0..<20 {
            var query = queries.query()
            query.list = nil
            query.limit = nil
            query.offset = 0
            let size = 1 + queries.below(40)
            func check(_ transaction: borrowing some StateReading & ~Copyable) throws {
                let all = try transaction.fetchIDs(query)
                var paged: [String] = []
                var page = FetchDescriptor<Person>(
                    filter: query.filter.map { Filter($0) },
                    sort: query.sort,
                    limit: size
                )
                while true {
                    let found = try transaction.fetchPage(page)
                    paged += found.models.map(\.id.rawValue)
                    #expect(found.models.count <= size)
                    guard let next = found.next else { break }
                    #expect(found.models.count == size)
                    page = page.after(next)
                }
                #expect(paged == all, "query \(number), pages of \(size): \(query)")
            }
            try store.read { try check($0) }
            if number % 3 == 0 { try store.read(asOf: .position(middle)) { try check($0) } }
        }
    }

    /// QRY-24: the tests above go every way.
    @Test func `random queries take every access path`() throws {
        var world = QueryWorld(random: SeededGenerator(seed: 1))
        _ = try fill(&world)
        var queries = RandomQuery(world: world)
        var names: Set<String> = []
        var wasCovering = false
        try store.read { transaction in
            for _ in 0..<600 {
                let query = queries.query()
                let explanation = try transaction.explain(query)
                names.formUnion(explanation.steps.map(\.name))
                #expect(explanation.description.hasPrefix("step"))
                let executor = try QueryExecutor(
                    query,
                    needs: .slots([]),
                    isOrderWanted: false,
                    in: transaction.access
                )
                if executor.plan.isCovering { wasCovering = true }
            }
        }
        #expect(wasCovering)
        #expect(
            names.isSuperset(of: [
                "nothing", "identifier", "scan", "index", "ordered index", "list", "lists", "filter", "sort",
                "result",
            ]),
            "\(names.sorted())"
        )
    }
}
