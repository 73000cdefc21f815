import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// The planner is a pure function: here the statistics are made up.
struct QueryPlannerTests {
    private struct MadeUp: QueryStatistics {
        var rowCount = 1_000_000
        /// The entries of a span, by the number of its first indexed attribute's slot.
        var entries: [Int: Int] = [:]
        /// How many rows each list leads to.
        var memberCount = 1_000_000
        /// The entities of other models that fulfil any condition; nil where they are too many.
        var found: [[UInt8]]?
        /// The share of each condition, by its place; conditions are taken to be independent.
        var shares: [Int: Double] = [:]

        func entryCount(in span: IndexSpan, upTo limit: Int) -> Int {
            min(entries[span.index.slots[0]] ?? rowCount, limit + 1)
        }

        func rowCount(in list: RowList, upTo limit: Int) -> Int { min(memberCount, limit) }

        func identifiers(
            of model: UInt16,
            fulfilling condition: FilterExpression,
            upTo limit: Int,
            cheaperThan costMax: Double
        ) -> [[UInt8]]? { found }

        func share(of places: Set<Int>) -> Double {
            places.map { shares[$0] ?? 0.5 }.reduce(1, *)
        }
    }

    private let schema: CompiledSchema
    private let model: CompiledModel

    init() throws {
        schema = CompiledSchema(
            Schema(Person.self, Town.self).description,
            position: 1,
            number: 1
        )
        model = try schema.model(named: "person")
    }

    private func plan(
        _ filter: FilterExpression? = nil,
        sort: [SortKey] = [],
        wanted: Int? = nil,
        needs: PlanQuestion.Needs = .row,
        _ statistics: MadeUp = MadeUp()
    ) throws -> QueryPlan {
        let conditions = try filter?.conditions() ?? []
        let use = FieldUse(model: model)
        let compiler = FilterCompiler(schema: schema, model: model)
        let question = PlanQuestion(
            model: model,
            conditions: conditions,
            conditionSlots: conditions.map { use.slots(of: $0) },
            sort: sort.map { key in
                PlanSortKey(
                    slot: model.attribute(named: key.path.components[0])?.slot,
                    isDescending: key.isDescending,
                    hasNilFirst: key.hasNilFirst,
                    path: key.path
                )
            },
            wantedCount: wanted,
            needs: needs,
            cursor: nil,
            isOrderWanted: true,
            list: nil
        )
        return try QueryPlanner(question: question, compiler: compiler, statistics: statistics)
            .plan()
    }

    private func slot(_ name: String) -> Int { model.attribute(named: name)?.slot ?? -1 }

    private func index(of plan: QueryPlan) -> [String]? {
        switch plan.access {
        case .index(let span), .ordered(let span, _):
            span.index.slots.map { model.attribute(slot: $0)?.name ?? "?" }
        default: nil
        }
    }

    /// QRY-24
    @Test func `the smaller stretch wins`() throws {
        let filter = FilterExpression.and([
            .compare(["name"], .equal, .string("a")), .compare(["age"], .equal, .int(1)),
        ])
        let few = MadeUp(entries: [slot("name"): 100, slot("age"): 900])
        #expect(try index(of: plan(filter, few)) == ["name"])
        let other = MadeUp(entries: [slot("name"): 900, slot("age"): 100])
        #expect(try index(of: plan(filter, other)) == ["age"])
    }

    @Test func `what an index answers is not asked again`() throws {
        let statistics = MadeUp(entries: [slot("age"): 10, slot("name"): 10])
        let exact = try plan(.compare(["age"], .greater, .int(3)), statistics)
        #expect(exact.residual == [])
        let long = String(repeating: "x", count: 300)
        let cut = try plan(.compare(["name"], .equal, .string(long)), statistics)
        #expect(cut.residual == [0])
        let prefix = try plan(.startsWith(["name"], "ab"), statistics)
        #expect(prefix.residual == [])
    }

    private func lists(of plan: QueryPlan) -> Int? {
        if case .lists(let lists) = plan.access { lists.count } else { nil }
    }

    /// QRY-36
    @Test func `a relationship leads to the rows where its list is small, and not where it is large`() throws {
        let town = FilterExpression.compare(["town"], .equal, .string("t1"))
        #expect(try lists(of: plan(town, MadeUp(memberCount: 100))) == 1)
        #expect(try lists(of: plan(town, MadeUp(shares: [0: 0.9]))) == nil)
        let friend = FilterExpression.any(["friends"], .compare(["id"], .equal, .string("p1")))
        #expect(try lists(of: plan(friend, MadeUp(memberCount: 100))) == 1)
        let either = FilterExpression.isIn(["town"], [.string("t1"), .string("t2")])
        #expect(try lists(of: plan(either, MadeUp(memberCount: 100))) == 2)
    }

    @Test func `of an index and a list the smaller wins`() throws {
        let filter = FilterExpression.and([
            .compare(["name"], .equal, .string("a")), .compare(["town"], .equal, .string("t1")),
        ])
        let fewNames = MadeUp(entries: [slot("name"): 10], memberCount: 100)
        #expect(try index(of: plan(filter, fewNames)) == ["name"])
        let fewMembers = MadeUp(entries: [slot("name"): 100], memberCount: 10)
        #expect(try lists(of: plan(filter, fewMembers)) == 1)
    }

    /// QRY-37
    @Test func `a condition behind a to-one finds the entities there first, unless it holds without one`() throws {
        let found = MadeUp(memberCount: 10, found: [[1], [2]])
        #expect(try lists(of: plan(.compare(["town", "title"], .equal, .string("a")), found)) == 2)
        #expect(try lists(of: plan(.compare(["town", "title"], .notEqual, .string("a")), found)) == nil)
        #expect(try lists(of: plan(.isNil(["town", "title"]), found)) == nil)
        #expect(try lists(of: plan(.compare(["town", "title"], .equal, .string("a")), MadeUp())) == nil)
    }

    @Test func `a large share of the rows is scanned`() throws {
        let statistics = MadeUp(shares: [0: 0.7])
        let plan = try plan(.compare(["age"], .greater, .int(3)), statistics)
        guard case .scan = plan.access else {
            Issue.record("\(plan)")
            return
        }
    }

    @Test func `two fair stretches whose common rows are few are intersected`() throws {
        let statistics = MadeUp(shares: [0: 0.02, 1: 0.02])
        let filter = FilterExpression.and([
            .compare(["name"], .equal, .string("a")), .compare(["age"], .equal, .int(1)),
        ])
        let plan = try plan(filter, statistics)
        guard case .intersection(let spans) = plan.access else {
            Issue.record("\(plan)")
            return
        }
        #expect(spans.count == 2)
        #expect(plan.residual == [])
    }

    @Test func `alternatives that indexes serve are united`() throws {
        let statistics = MadeUp(entries: [slot("name"): 5, slot("age"): 5], shares: [0: 0.001])
        let filter = FilterExpression.or([
            .compare(["name"], .equal, .string("a")), .compare(["age"], .equal, .int(1)),
        ])
        let plan = try plan(filter, statistics)
        guard case .union = plan.access else {
            Issue.record("\(plan)")
            return
        }
        #expect(plan.residual == [0])
    }

    @Test func `a limit makes an index in the wanted order pay`() throws {
        let few = try plan(sort: [SortKey(["name"])], wanted: 10)
        guard case .ordered(_, isDescending: false) = few.access, case .asFound = few.order else {
            Issue.record("\(few)")
            return
        }
        #expect(few.estimatedVisits == 10)
        let last = try plan(sort: [SortKey(["name"], descending: true)], wanted: 10)
        guard case .ordered(_, isDescending: true) = last.access else {
            Issue.record("\(last)")
            return
        }
        let nilsLast = try plan(sort: [SortKey(["nickname"], nils: .last)], wanted: 10)
        guard case .ordered(let span, _) = nilsLast.access else {
            Issue.record("\(nilsLast)")
            return
        }
        #expect(span.ranges.count == 2)
    }

    @Test func `rows with one value come in the order of identifiers and need no sort`() throws {
        let statistics = MadeUp(entries: [slot("age"): 50])
        let plan = try plan(.compare(["age"], .equal, .int(1)), statistics)
        guard case .asFound = plan.order else {
            Issue.record("\(plan)")
            return
        }
    }

    /// QRY-31
    @Test func `an index that has all that is asked is enough`() throws {
        let statistics = MadeUp(entries: [slot("isActive"): 50])
        let filter = FilterExpression.and([
            .compare(["isActive"], .equal, .bool(true)), .compare(["age"], .notEqual, .int(1)),
        ])
        #expect(try plan(filter, needs: .slots([slot("age")]), statistics).isCovering)
        #expect(try !plan(filter, needs: .slots([slot("name")]), statistics).isCovering)
        #expect(try !plan(filter, statistics).isCovering)
    }

    @Test func `what cannot be is not looked for`() throws {
        for filter in [
            .or([]), .isIn(["age"], []),
            .and([.compare(["age"], .greater, .int(5)), .compare(["age"], .less, .int(2))]),
        ] as [FilterExpression] {
            let plan = try plan(filter)
            guard case .nothing = plan.access else {
                Issue.record("\(filter): \(plan)")
                continue
            }
        }
    }

    /// The same on a store that is large enough for sampling.
    @Test func `a larger store is planned by samples, with the same answers`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 9))
        try store.write { transaction in
            for number in 0..<6000 {
                var person = world.person(number, towns: 0, people: 0)
                person.name = "name \(number % 4)"
                person.age = number % 5
                try transaction.insert(person)
            }
        }
        let people = try store.fetch(FetchDescriptor<Person>())
        let both = FetchDescriptor<Person>().where { $0.name == "name 1" && $0.age == 3 }
        let either = FetchDescriptor<Person>().where { $0.name == "name 1" || $0.age == 3 }
        let ids = people.filter { $0.name == "name 1" && $0.age == 3 }.map(\.id)
        #expect(try store.fetchIDs(both) == ids)
        #expect(
            try store.fetchIDs(either)
                == people.filter { $0.name == "name 1" || $0.age == 3 }.map(\.id)
        )
        try store.read { transaction in
            let explanation = try transaction.explain(both)
            #expect(explanation.steps[0].name == "intersection", "\(explanation)")
            // A twentieth of the rows; the sample has 256.
            let estimated = explanation.steps.last?.estimated ?? 0
            #expect((100...900).contains(estimated), "\(explanation)")
        }
    }
}
