import FaultSupport
import TestSupport
import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Figures over rows, against figures computed from the records one by one.
struct AggregateTests {
    private let place: ScratchPlace
    private let store: Store
    private var world: QueryWorld

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 5))
        try store.write { transaction in
            for number in 0..<4 {
                try transaction.insert(Town(id: Town.ID("t\(number)"), title: "town \(number % 2)"))
            }
            for number in 0..<200 {
                try transaction.insert(world.person(number, towns: 4, people: number))
            }
        }
        self.world = world
    }

    // MARK: A naive evaluation

    /// 0 for -0, one NaN: the name of a group.
    private func named(_ value: Value) -> Value {
        switch value {
        case .double(let number): .double(number == 0 ? 0 : number.isNaN ? .nan : number)
        case .float(let number): .float(number == 0 ? 0 : number.isNaN ? .nan : number)
        case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
            .date(Date(timeIntervalSinceReferenceDate: 0))
        case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN:
            .date(Date(timeIntervalSinceReferenceDate: .nan))
        default: value
        }
    }

    private func figure(_ aggregate: Aggregate, _ records: [Record], _ naive: NaiveQuery) -> Value {
        guard let path = aggregate.path else { return .int(records.count) }
        let values = records.map { naive.value(path, $0, element: nil) }.filter { !$0.isNull }
        switch aggregate {
        case .count, .countOf: return .int(values.count)
        case .countDistinct: return .int(Set(values.map(named)).count)
        case .min: return values.min(by: Value.precedes).map(named) ?? .null
        case .max: return values.max(by: Value.precedes).map(named) ?? .null
        case .sum, .average:
            let isAverage = if case .average = aggregate { true } else { false }
            if values.isEmpty, isAverage { return .null }
            if path == ["wealth"] {
                let sum = values.reduce(Decimal(0)) { sum, value in
                    if case .decimal(let number) = value { sum + number } else { sum }
                }
                return .decimal(isAverage ? sum / Decimal(values.count) : sum)
            }
            if path == ["age"] {
                let sum = values.reduce(0) { sum, value in
                    if case .int(let number) = value { sum + number } else { sum }
                }
                return isAverage ? .double(Double(sum) / Double(values.count)) : .int(sum)
            }
            // The numbers of this world are halves, so their sums are exact in any order.
            let sum = values.reduce(0.0) { sum, value in
                switch value {
                case .double(let number): sum + number
                case .float(let number): sum + Double(number)
                default: sum
                }
            }
            return .double(isAverage ? sum / Double(values.count) : sum)
        }
    }

    private func equals(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        default: Value.compare(left, right) == 0 || left == right
        }
    }

    // MARK: Tests

    /// QRY-40, QRY-41, QRY-42, QRY-43
    @Test func `groups and figures are those of the records`() throws {
        var queries = RandomQuery(world: world)
        let keys: [[FieldPath]] = [
            [], [["age"]], [["nickname"]], [["weight"]], [["height"]], [["town"]],
            [["town", "title"]],
            [["isActive"], ["age"]], [["wealth"]], [["born"]], [["parent"], ["nickname"]],
        ]
        let figures: [Aggregate] = [
            .count, .countOf(["nickname"]), .countDistinct(["weight"]), .sum(["age"]),
            .average(["age"]), .sum(["weight"]), .average(["height"]), .sum(["wealth"]),
            .average(["wealth"]), .min(["weight"]), .max(["weight"]), .min(["name"]),
            .max(["name"]),
            .min(["town", "title"]), .max(["born"]), .min(["age"]), .countDistinct(["town"]),
        ]
        let naive = try store.read { try NaiveQuery($0) }
        for number in 0..<120 {
            var rows = queries.query()
            if number % 3 > 0 {
                rows.limit = nil
                rows.offset = 0
            }
            let wanted = (0..<(1 + queries.below(3))).map { _ in
                queries.world.random.pick(figures)
            }
            let query = AggregateQuery(rows, by: queries.world.random.pick(keys), wanted)
            let found = try store.read { try $0.groups(query) }
            var groups: [[Value]: [Record]] = query.keys.isEmpty ? [[]: []] : [:]
            for record in naive.results(rows) {
                let key = query.keys.map { path -> Value in
                    if path == ["town"] || path == ["parent"] {
                        return record[path.components[0]]
                    }
                    return named(naive.value(path, record, element: nil))
                }
                groups[key, default: []].append(record)
            }
            #expect(found.count == groups.count, "query \(number): \(query)")
            for group in found {
                guard let records = groups[group.keys] else {
                    Issue.record("query \(number): there is no group \(group.keys) in \(query)")
                    continue
                }
                for (aggregate, value) in zip(wanted, group.values) {
                    let expected = figure(aggregate, records, naive)
                    #expect(equals(value, expected), "query \(number), \(aggregate): \(query)")
                }
            }
            let sorted = found.sorted { left, right in
                zip(left.keys, right.keys).map { Value.compare($0, $1) }.first { $0 != 0 }
                    .map { $0 < 0 } ?? false
            }
            #expect(found == sorted, "query \(number)")
        }
    }

    /// QRY-31: an index that has all that is asked gives the same figures.
    @Test func `figures from an index are those from the rows`() throws {
        for path in [["age"], ["weight"], ["nickname"], ["height"]] as [FieldPath] {
            let query = AggregateQuery(
                RecordQuery(model: "person", filter: .not(.isNil(path))),
                by: [path],
                [.count, .min(path), .countDistinct(path)]
            )
            // The second condition looks at the whole row, and holds for each.
            var slow = query
            slow.rows.filter = .and([.not(.isNil(path)), .count(["tags"], .greaterOrEqual, 0)])
            try store.read { transaction in
                #expect(try transaction.groups(query) == transaction.groups(slow))
                let plans = try [query, slow].map { query in
                    try QueryExecutor(
                        query.rows,
                        needs: .slots(
                            [2, 3, 1, 4].filter { slot in
                                Person.schema.declaration.stored[slot].name == path.components[0]
                            }.reduce(into: Set()) { $0.insert($1) }
                        ),
                        isOrderWanted: false,
                        in: transaction.access
                    ).plan.isCovering
                }
                #expect(plans == [true, false])
            }
        }
    }

    /// QRY-41: the end of an index has the same extremes, also of a state of the past.
    @Test func `the least and the greatest values are those of the records, now and in the past`() throws {
        let before = try store.read { $0.position }
        try store.write { transaction in
            for number in stride(from: 0, to: 200, by: 3) {
                let person = try transaction.fetch(Person.self, id: .init("p\(number)"))
                guard var person else { continue }
                person.weight = person.weight.map { -$0 }
                person.age += 1000
                // Longer than an index key, and the same as far as that has them.
                person.name = String(repeating: "x", count: 900) + "\(number % 7)"
                if number % 2 == 0 { try transaction.update(person) } else { try transaction.delete(person) }
            }
        }
        var queries = RandomQuery(world: world)
        let paths: [FieldPath] = [
            ["name"], ["nickname"], ["age"], ["weight"], ["height"], ["wealth"], ["born"], ["town", "title"],
        ]
        for point in [Point.position(before), .head] {
            try store.read(asOf: point) { state in
                let naive = try NaiveQuery(state)
                for path in paths {
                    for number in 0..<20 {
                        var rows = RecordQuery(model: "person")
                        if number > 0 { rows.filter = queries.query().filter }
                        let query = AggregateQuery(rows, number % 2 == 0 ? [.min(path), .max(path)] : [.max(path)])
                        let found = try state.groups(query)
                        let records = naive.results(rows)
                        #expect(found.count == 1)
                        for (aggregate, value) in zip(query.aggregates, found[0].values) {
                            let expected = figure(aggregate, records, naive)
                            #expect(equals(value, expected), "\(aggregate): \(query)")
                        }
                    }
                }
            }
        }
    }

    @Test func `groups can be sorted by a figure and limited`() throws {
        let query = AggregateQuery(
            RecordQuery(model: "person"),
            by: [["age"]],
            [.count],
            order: [GroupSortKey(.aggregate(0), descending: true)],
            limit: 3
        )
        let found = try store.read { try $0.groups(query) }
        let all = try store.read {
            try $0.groups(AggregateQuery(RecordQuery(model: "person"), by: [["age"]], [.count]))
        }
        let expected = all.sorted { left, right in
            let order = Value.compare(left.values[0], right.values[0])
            return order == 0 ? Value.precedes(left.keys[0], right.keys[0]) : order > 0
        }
        #expect(found == Array(expected.prefix(3)))
    }

    @Test func `figures have their Swift types`() throws {
        let people = try store.fetch(FetchDescriptor<Person>())
        try store.read { transaction in
            let ages: Int = try transaction.sum(\.age, of: FetchDescriptor<Person>())
            #expect(ages == people.map(\.age).reduce(0, +))
            let average: Double? = try transaction.average(\.age, of: FetchDescriptor<Person>())
            #expect(average == Double(ages) / 200)
            let oldest: Int? = try transaction.max(\.age, of: FetchDescriptor<Person>())
            #expect(oldest == people.map(\.age).max())
            let names: [String] = try transaction.distinct(\.name, of: FetchDescriptor<Person>())
            #expect(Set(names.map { Array($0.utf8) }) == Set(people.map { Array($0.name.utf8) }))
            let none = FetchDescriptor<Person>().where { $0.age > 1000 }
            #expect(try transaction.average(\.age, of: none) == nil)
            #expect(try transaction.sum(\.weight, of: none) == 0)
            #expect(try transaction.min(\.nickname, of: none) == nil)
            let groups = try transaction.group(
                FetchDescriptor<Person>().where { $0.isActive == true },
                by: \.age,
                .count,
                .max(\.name)
            )
            for (age, count, name) in groups {
                let same = people.filter { $0.isActive && $0.age == age }
                #expect(count == same.count)
                let last = same.map(\.name).max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                #expect(name.map { Array($0.utf8) } == last.map { Array($0.utf8) })
            }
            #expect(groups.map { $0.0 } == groups.map { $0.0 }.sorted())
            let (count, sum) = try transaction.aggregate(
                FetchDescriptor<Person>(),
                .count,
                .sum(\.age)
            )
            #expect(count == 200)
            #expect(sum == ages)
        }
    }

    /// QRY-42, QRY-44
    @Test func `figures that make no sense are refused`() throws {
        func code(_ query: AggregateQuery) throws -> StoreError.Code? {
            let error = #expect(throws: StoreError.self) { try store.read { try $0.groups(query) } }
            return error?.code
        }
        let rows = RecordQuery(model: "person")
        #expect(try code(AggregateQuery(rows, [.sum(["name"])])) == .invalidQuery)
        #expect(try code(AggregateQuery(rows, [.average(["born"])])) == .invalidQuery)
        #expect(try code(AggregateQuery(rows, by: [["tags"]], [.count])) == .invalidQuery)
        #expect(try code(AggregateQuery(rows, [.min(["words"])])) == .invalidQuery)
        #expect(try code(AggregateQuery(rows, [.sum(["nothing"])])) == .invalidQuery)
        #expect(try code(AggregateQuery(rows, [.count], limit: -1)) == .invalidQuery)
        #expect(
            try code(AggregateQuery(rows, [.count], order: [GroupSortKey(.key(0))]))
                == .invalidQuery
        )
        let towns = [Int.max, 1].enumerated().map { number, size in
            Town(id: Town.ID("big\(number)"), title: "", size: size)
        }
        try store.write { transaction in for town in towns { try transaction.insert(town) } }
        #expect(
            try code(AggregateQuery(RecordQuery(model: "town"), [.sum(["size"])])) == .invalidQuery
        )
        let average = try store.read { try $0.average(\.size, of: FetchDescriptor<Town>()) }
        #expect(average == 0x1p62)
    }
}
