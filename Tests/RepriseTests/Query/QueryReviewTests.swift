import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// What reviews found: each mistake left a test behind.
struct QueryReviewTests {
    private let place: ScratchPlace
    private let store: Store
    private static let count = 3000

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 77))
        try store.write { transaction in
            for number in 0..<Self.count {
                var person = world.person(number, towns: 0, people: 0)
                person.name = "name \(number % 500)"
                person.nickname = number % 5 == 0 ? nil : "ab \(number % 300)"
                person.age = number % 10
                person.isActive = number % 2 == 0
                try transaction.insert(person)
            }
        }
    }

    private var all: FetchDescriptor<Person> { FetchDescriptor() }

    private func check(
        _ descriptor: FetchDescriptor<Person>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try store.read { transaction in
            let naive = try NaiveQuery(transaction)
            let expected = naive.results(descriptor.query).map(\.id)
            #expect(!expected.isEmpty, sourceLocation: sourceLocation)
            let found = try transaction.fetchIDs(descriptor).map(\.rawValue)
            #expect(found == expected, sourceLocation: sourceLocation)
            let models = try transaction.fetch(descriptor).map(\.id.rawValue)
            #expect(models == expected, sourceLocation: sourceLocation)
        }
    }

    /// QRY-21, QRY-24: the planner took a bounded stretch for a whole component.
    @Test func `where nil stands does not depend on what else is asked of the attribute`() throws {
        for nils in NilPlacement.allCases {
            for order in [FetchDescriptor<Person>.Order.ascending, .descending] {
                let some = all.where { $0.nickname != nil }
                try check(some.sorted(by: \.nickname, order, nils: nils).limit(10))
                let prefix = all.where { $0.nickname.hasPrefix("ab 1") }
                try check(prefix.sorted(by: \.nickname, order, nils: nils).limit(10))
                let bounded = all.where { $0.nickname >= "ab 2" && $0.nickname < "ab 21" }
                try check(bounded.sorted(by: \.nickname, order, nils: nils).limit(10))
                try check(all.sorted(by: \.nickname, order, nils: nils).limit(700))
            }
        }
    }

    /// QRY-11: nil stands apart in an index.
    @Test func `nil is found among a thousand values`() throws {
        let many = (0..<1200).map { "ab \($0 * 7)" as String? } + [nil]
        try check(all.where { $0.nickname.isIn(many) })
        try check(
            all.where { $0.nickname.isIn(many) && $0.name.isIn((0..<40).map { "name \($0)" }) }
        )
    }

    /// QRY-30
    @Test func `an offset is for the first page only`() throws {
        var page = all.sorted(by: \.name).offset(10).limit(70)
        var paged: [Person.ID] = []
        while true {
            let found = try store.fetchPage(page)
            paged += found.models.map(\.id)
            guard let next = found.next else { break }
            page = page.after(next)
        }
        #expect(paged == (try store.fetchIDs(all.sorted(by: \.name).offset(10))))
    }

    @Test func `whether there is anything is known at the first row`() throws {
        try store.read { transaction in
            var query = all.where { $0.tags.count >= 0 }.query
            query.limit = 1
            let executor = try QueryExecutor(
                query,
                needs: .slots([]),
                isOrderWanted: false,
                in: transaction.access
            )
            #expect(try executor.count() == 1)
            #expect(executor.tally.rows == 1)
        }
    }

    @Test func `a limit among many equal values ends the walk backward`() throws {
        let descriptor = all.sorted(by: \.age, .descending).limit(10)
        try check(descriptor)
        try store.read { transaction in
            let executor = try QueryExecutor(descriptor.query, in: transaction.access)
            try executor.forEach { _ in true }
            // 300 rows have each value; one more is looked at to see that there are several.
            #expect(executor.tally.rows <= 11)
        }
    }

    @Test func `pages behind a fixed value cost what they show`() throws {
        var page = all.where { $0.isActive == true }.sorted(by: \.age).limit(30)
        var costs: [Int] = []
        var paged: [Person.ID] = []
        while true {
            try store.read { transaction in
                let executor = try QueryExecutor(page.query, in: transaction.access)
                try executor.forEach { _ in true }
                costs.append(executor.tally.entries)
            }
            let found = try store.fetchPage(page)
            paged += found.models.map(\.id)
            guard let next = found.next else { break }
            page = page.after(next)
        }
        let whole = all.where { $0.isActive == true }.sorted(by: \.age)
        #expect(paged == (try store.fetchIDs(whole)))
        // A page begins among the 300 rows with its first value, not among all 1,500.
        #expect((costs.max() ?? 0) <= 340, "\(costs)")
    }

    @Test func `a bound on the identifier does not hide an index`() throws {
        let descriptor = all.where { $0.id >= "p" && $0.name == "name 7" }
        try check(descriptor)
        try store.read { transaction in
            let explanation = try transaction.explain(descriptor)
            #expect(explanation.steps[0].name == "index", "\(explanation)")
        }
    }
}
