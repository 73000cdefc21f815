import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// How much is looked at to answer a query, counted and not timed: a gate against plans that become worse unnoticed.
struct QueryWorkTests {
    private let place: ScratchPlace
    private let store: Store
    private static let count = 4000

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 31))
        try store.write { transaction in
            for number in 0..<Self.count {
                var person = world.person(number, towns: 0, people: 0)
                person.name = "name \(number % 1000)"
                person.age = number % 100
                try transaction.insert(person)
            }
        }
    }

    private func work(
        _ descriptor: FetchDescriptor<Person>,
        needs: PlanQuestion.Needs = .row,
        isOrderWanted: Bool = true
    ) throws -> QueryTally {
        try store.read { transaction in
            let executor = try QueryExecutor(
                descriptor.query,
                needs: needs,
                isOrderWanted: isOrderWanted,
                in: transaction.access
            )
            try executor.forEach { _ in true }
            return executor.tally
        }
    }

    private var all: FetchDescriptor<Person> { FetchDescriptor() }

    @Test func `a value of an index costs its rows`() throws {
        let tally = try work(all.where { $0.name == "name 7" })
        #expect(tally.entries == 4 && tally.rows == 4)
    }

    @Test func `of two indexes the narrower is walked`() throws {
        let tally = try work(all.where { $0.age == 7 && $0.name == "name 107" })
        #expect(tally.entries == 4)
    }

    @Test func `a limit in the order of an index ends the walk`() throws {
        let first = try work(all.sorted(by: \.name).limit(10))
        #expect(first.rows == 10 && first.sorted == 0)
        // Backward, rows with equal values are gathered: those of the last group count, too.
        let last = try work(all.sorted(by: \.name, .descending).limit(10))
        #expect(last.rows <= 14 && last.sorted == 0)
    }

    @Test func `a page costs the same wherever it begins`() throws {
        var page = all.sorted(by: \.name).limit(20)
        var costs: [Int] = []
        for _ in 0..<50 {
            costs.append(try work(page).rows)
            guard let next = try store.fetchPage(page).next else { break }
            page = page.after(next)
        }
        // Beside the page the rows with the value at which it begins.
        #expect((costs.max() ?? 0) <= 24, "\(costs)")
    }

    @Test func `an identifier costs one row`() throws {
        #expect(try work(all.where { $0.id == "p7" }).rows == 1)
        #expect(try work(all.where { $0.id.isIn(["p7", "p8", "nobody"]) }).rows == 3)
    }

    /// QRY-31
    @Test func `figures of an indexed attribute cost no row`() throws {
        let age = try store.read { transaction in
            try transaction.access.model(named: "person").attribute(named: "age")?.slot ?? -1
        }
        let few = all.where { $0.age < 5 }
        let tally = try work(few, needs: .slots([age]), isOrderWanted: false)
        #expect(tally.rows == 0 && tally.entries == Self.count / 20)
    }

    @Test func `whether there is anything costs one entry`() throws {
        let tally = try work(
            all.where { $0.age == 7 }.limit(1),
            needs: .slots([]),
            isOrderWanted: false
        )
        #expect(tally.rows == 0 && tally.entries == 1)
    }

    /// QRY-36, QRY-37: 4000 people in 100 towns, without an index on the town.
    @Test func `the people of a town cost its list`() throws {
        try store.write { transaction in
            for number in 0..<100 {
                try transaction.insert(Town(id: Town.ID("t\(number)"), title: "town \(number)", size: number % 10))
            }
            for number in 0..<Self.count {
                try transaction.update(Person.self, id: Person.ID("p\(number)")) {
                    $0.town = Town.ID("t\(number % 100)")
                }
            }
            for number in 0..<20 {
                try transaction.link(Person.friends, from: Person.ID("p\(number)"), to: "p7")
            }
        }
        let ofTown = try work(all.where { $0.town == "t7" })
        #expect(ofTown.entries == 40 && ofTown.rows == 40)
        let few = try work(all.where { $0.town.isIn(["t7", "t8"]) && $0.tags.count > 50 })
        #expect(few.rows == 80 && few.matched == 0)
        let counted = try work(all.where { $0.town == "t7" }, needs: .slots([]), isOrderWanted: false)
        #expect(counted.entries == 40 && counted.rows == 0)
        let admirers = try work(all.where { $0[Person.friends].contains("p7") })
        #expect(admirers.entries == 20 && admirers.rows == 20)
        let named = try work(all.where { $0.town.title == "town 7" })
        #expect(named.entries == 40 && named.rows == 40)
        let ordered = try work(FetchDescriptor(Town.people, of: "t7").limit(5))
        #expect(ordered.entries == 5 && ordered.rows == 5)
    }

    /// A ratio of two times within one run: a lookup by identifier does not read more as the store grows.
    @Test func `planning does not outweigh a small answer`() throws {
        let clock = ContinuousClock()
        func time(_ body: () throws -> Void) rethrows -> Duration {
            var best = Duration.seconds(60)
            for _ in 0..<5 { best = min(best, try clock.measure(body)) }
            return best
        }
        try store.read { transaction in
            let direct = try time {
                for number in 0..<200 {
                    _ = try transaction.fetch(Person.self, id: Person.ID("p\(number)"))
                }
            }
            let planned = try time {
                for number in 0..<200 {
                    let id = Person.ID("p\(number)")
                    _ = try transaction.fetch(FetchDescriptor<Person>().where { $0.id == id })
                }
            }
            // Measured in a debug build: about 5 times.
            #expect(planned < direct * 25, "\(planned) against \(direct)")
        }
    }
}
