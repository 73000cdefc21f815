import Testing

@testable import Reprise

private struct Errand: Model {
    var id: ID
    var title: String
    var alias: String?
    var isDone = false
    var isUrgent = false
    var rank = 0
    var limit: Int?
    var weight: Double?
    var plan: Plan.ID?

    static let schema = ModelSchema(
        "errand",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("alias", \.alias),
        .attribute("is_done", \.isDone, indexed: true),
        .attribute("is_urgent", \.isUrgent),
        .attribute("rank", \.rank),
        .attribute("limit", \.limit),
        .attribute("weight", \.weight),
        .toOne("plan", \.plan)
    )
    .searchable("title")
}

private struct Plan: Model {
    var id: ID
    var isSecret: Bool
    var rank: Int
    var chief: Errand.ID?

    static let schema = ModelSchema(
        "plan",
        Self.init,
        .id("id", \.id),
        .attribute("is_secret", \.isSecret),
        .attribute("rank", \.rank),
        .toOne("chief", \.chief)
    )
    .toMany("errands", of: Errand.self, inverse: "plan")

    static let errands = Relationship<Plan, Errand>("errands")
}

/// Conditions that are fields, alone or compared with each other.
struct FieldConditionTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Errand.self, Plan.self))
        try store.write { tx in
            try tx.insert(Plan(id: "p", isSecret: true, rank: 2))
            try tx.insert(Plan(id: "q", isSecret: false, rank: 2))
            try tx.insert(Errand(id: "a", title: "a", alias: "a", isDone: true, rank: 1, limit: 1, plan: "p"))
            try tx.insert(Errand(id: "b", title: "b", alias: "a", rank: 2, limit: 1, plan: "q"))
            try tx.insert(Errand(id: "c", title: "c", alias: "d", isUrgent: true, rank: 3, limit: 9, weight: .nan))
            try tx.insert(Errand(id: "d", title: "d", isDone: true, isUrgent: true, rank: 4))
            try tx.update(Plan.self, id: "p") { $0.chief = "a" }
        }
    }

    private func ids(_ build: (Fields<Errand>) -> Filter<Errand>) throws -> String {
        let filter = Filter(build)
        let found = try store.fetch(FetchDescriptor<Errand>().where(filter)).map(\.id.rawValue).joined()
        // What the filter says by stored names is the same, and so is what a watcher is told.
        let query = RecordQuery(model: "errand", filter: filter.expression)
        #expect(try store.read { try $0.count(query) } == found.count)
        return found
    }

    /// QRY-09
    @Test func `a field of type Bool is a condition`() throws {
        #expect(try ids { $0.isDone } == "ad")
        #expect(try ids { !$0.isDone } == "bc")
        #expect(try ids { $0.isDone && $0.rank > 2 } == "d")
        #expect(try ids { $0.isDone || $0.isUrgent } == "acd")
        #expect(try ids { !($0.isDone && $0.isUrgent) } == "abc")
        #expect(try ids { $0.isDone == false && $0.isUrgent != false } == "c")
        #expect(try ids { $0.plan.isSecret } == "a")
        #expect(try ids { !$0.plan.isSecret } == "bcd")
    }

    /// QRY-09
    @Test func `it is one wherever a condition is asked for`() throws {
        let plans = try store.fetch(FetchDescriptor<Plan>().where { $0[Plan.errands].any { $0.isDone } })
        #expect(plans.map(\.id) == ["p"])
        let all = try store.fetch(FetchDescriptor<Plan>().where { $0[Plan.errands].all { !$0.isDone } })
        #expect(all.map(\.id) == ["q"])
        let hits = try store.search(Errand.self, "d*") { $0.isUrgent }
        #expect(hits.map(\.model.id) == ["d"])
        let sorted = FetchDescriptor<Errand>().sorted { $0.isDone }.sorted(by: \.isUrgent)
        #expect(try store.fetch(sorted).map(\.id.rawValue).joined() == "bcad")
    }

    /// QRY-09, QRY-24
    @Test func `an index on the field serves the condition and its contrary`() throws {
        try store.write { tx in
            for number in 0..<2000 { try tx.insert(Errand(id: "x\(number)", title: "", isDone: number % 100 != 0)) }
        }
        let open = FetchDescriptor<Errand>().where { !$0.isDone }
        let found = try store.fetch(open)
        #expect(found.count == 22 && found.allSatisfy { !$0.isDone })
        let explanation = "\(try store.explain(open))"
        #expect(explanation.contains("is_done"), "\(explanation)")
        #expect(try store.count(FetchDescriptor<Errand>().where { $0.isDone }) == 1982)
    }

    /// QRY-29
    @Test func `two fields of one type are compared by every operator`() throws {
        #expect(try ids { $0.title == $0.alias } == "a")
        #expect(try ids { $0.alias != $0.title } == "bcd")
        #expect(try ids { $0.title < $0.alias } == "c")
        #expect(try ids { $0.rank > $0.limit } == "b")
        #expect(try ids { $0.rank >= $0.limit } == "ab")
        #expect(try ids { $0.limit <= $0.rank } == "ab")
        #expect(try ids { !($0.limit <= $0.rank) } == "cd")
        #expect(try ids { $0.rank == $0.plan.rank } == "b")
        #expect(try ids { $0.plan.chief == $0.id } == "a")
        #expect(try ids { $0.isDone == $0.isUrgent } == "bd")
    }

    /// QRY-29, QRY-03
    @Test func `fields without a value are equal to each other and to nothing else`() throws {
        #expect(try ids { $0.limit == $0.limit } == "abcd")
        #expect(try ids { $0.limit != $0.limit } == "")
        #expect(try ids { $0.limit <= $0.limit } == "abc")
        #expect(try ids { $0.weight == $0.weight } == "abcd")
        #expect(try ids { $0.weight <= $0.weight } == "c")
        #expect(try ids { $0.plan.rank == $0.plan.rank } == "abcd")
        #expect(try ids { $0.plan.rank < $0.rank } == "")
    }

    /// QRY-29
    @Test func `fields of different types are refused before a row is read`() throws {
        let query = RecordQuery(model: "errand", filter: .compareFields(["title"], .equal, ["rank"]))
        let error = #expect(throws: StoreError.self) { try store.read { try $0.records(query) } }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message == "title is of type string and rank of type int.")
    }

    /// QRY-29
    @Test func `a watcher wakes for a change of either field`() async throws {
        let behind = FetchDescriptor<Errand>().where { $0.rank < $0.plan.rank }
        var updates = store.observe(behind).makeAsyncIterator()
        #expect(try await updates.next()?.results.map(\.id) == ["a"])
        try await store.write { _ = try $0.update(Plan.self, id: "q") { $0.rank = 7 } }
        #expect(try await updates.next()?.results.map(\.id) == ["a", "b"])
        try await store.write { _ = try $0.update(Errand.self, id: "a") { $0.rank = 8 } }
        #expect(try await updates.next()?.results.map(\.id) == ["b"])
    }
}
