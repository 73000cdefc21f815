import RepriseLMDB
import Testing

@testable import Reprise

private enum NewKind: String, StoredValue { case chore, event, reminder }
private enum Kind: String, StoredValue { case chore, event }
private enum KnownKind: String, StoredValue { case chore, event, other }

/// As a newer version of the app declares it.
private struct NewJob: Model {
    var id: ID
    var title: String
    var kind: NewKind
    var second: NewKind?
    var parent: ID?

    static let schema = ModelSchema(
        "errand",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("kind", \.kind, indexed: true),
        .attribute("second", \.second),
        .toOne("parent", \.parent)
    )
    .searchable("title")
    .toMany("parts", of: NewJob.self)

    static let parts = Relationship<NewJob, NewJob>("parts")
}

/// The same without a case that newer rows have.
private struct Errand: Model {
    var id: ID
    var title: String
    var kind: Kind
    var second: Kind?
    var parent: ID?

    static let schema = ModelSchema(
        "errand",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("kind", \.kind, indexed: true),
        .attribute("second", \.second),
        .toOne("parent", \.parent)
    )
    .searchable("title")
    .toMany("parts", of: Errand.self)

    static let parts = Relationship<Errand, Errand>("parts")
}

/// The same with cases that stand for those that are not known.
private struct CarefulJob: Model, Equatable {
    var id: ID
    var title: String
    var kind: KnownKind
    var second: KnownKind?
    var parent: ID?

    static let schema = ModelSchema(
        "errand",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("kind", \.kind, indexed: true, unknown: .other),
        .attribute("second", \.second, unknown: nil),
        .toOne("parent", \.parent)
    )
}

private struct Corner: Embedded {
    var kind: KnownKind
    static let embedded = EmbeddedSchema(Self.init, .attribute("kind", \.kind, unknown: .other))
}

private struct Room: Model {
    var id: ID
    var corner: Corner
    static let schema = ModelSchema("room", Self.init, .id("id", \.id), .attribute("corner", \.corner))
}

/// Raw values that an enum of the program does not have.
struct UnknownRawValueTests {
    private let place: ScratchPlace
    private let store: Store
    private let told = Told()

    /// What the store has told of.
    private final class Told: Sendable {
        private let errors = Guarded<[StoreError]>([])
        var all: [StoreError] { errors.withLock { $0 } }
        func add(_ error: StoreError) { errors.withLock { $0.append(error) } }
    }

    init() throws {
        place = try ScratchPlace()
        let told = told
        store = try Store.open(
            at: place("store"),
            schema: Schema(NewJob.self),
            configuration: Store.Configuration(unreadableRow: { told.add($0) })
        )
        try store.write { tx in
            try tx.insert(NewJob(id: "a", title: "walk", kind: .chore))
            try tx.insert(NewJob(id: "b", title: "walk on", kind: .reminder))
            try tx.insert(NewJob(id: "c", title: "walk home", kind: .event, second: .reminder))
            try tx.insert(NewJob(id: "d", title: "walk out", kind: .event, second: .chore, parent: "b"))
            try tx.link(NewJob.parts, from: "d", to: "a")
            try tx.link(NewJob.parts, from: "d", to: "b")
        }
    }

    private var all: FetchDescriptor<Errand> { FetchDescriptor<Errand>() }

    /// VAL-30
    @Test func `a list leaves out the rows that it cannot read, and the store tells of each once`() throws {
        for _ in 0..<2 { #expect(try store.fetch(all).map(\.id) == ["a", "d"]) }
        #expect(told.all.map(\.code) == [.invalidValue, .invalidValue])
        let row = EntityReference(model: "errand", id: "b")
        #expect(told.all.first?.cause == .unknownRawValue(attribute: "kind", value: .string("reminder"), of: row))
        // What counts rows counts all of them.
        #expect(try store.count(all) == 4)
    }

    /// VAL-31
    @Test func `a row that is asked for by its identifier is an error that says what it holds`() throws {
        let error = #expect(throws: StoreError.self) { try store.fetch(Errand.self, id: "c") }
        #expect(error?.code == .invalidValue)
        #expect(
            error?.message
                == #"errand "c" cannot be read: its second is "reminder", which the enum does not have."#
        )
        #expect(throws: StoreError.self) { try store.write { try $0.update(Errand.self, id: "b") { $0.title = "" } } }
        #expect(try store.fetch(NewJob.self, id: "b")?.title == "walk on")
        #expect(told.all.isEmpty)
    }

    /// VAL-30
    @Test func `pages, parts, searches and what is fetched along leave them out, too`() throws {
        try store.read { tx in
            let page = try tx.fetchPage(all.limit(2))
            #expect(page.models.map(\.id) == ["a"])
            let rest = try tx.fetchPage(all.limit(2).after(try #require(page.next)))
            #expect(rest.models.map(\.id) == ["d"] && rest.next == nil)
            var seen: [Errand.ID] = []
            try tx.forEach(all) { job in
                seen.append(job.id)
                return true
            }
            #expect(seen == ["a", "d"])
            #expect(try tx.values(of: all, \.title, \.kind).map(\.0) == ["walk", "walk home", "walk out"])
            #expect(try tx.fetch(Errand.self, ids: ["a", "b"]).keys.sorted() == ["a"])
            #expect(try tx.search(Errand.self, "walk").map(\.model.id).sorted() == ["a", "d"])
            let parents = try tx.fetch(all, with: \.parent)
            #expect(parents.map(\.0.id) == ["a", "d"] && parents.allSatisfy { $0.1 == nil })
            let parts = try tx.fetch(all, with: Errand.parts)
            #expect(parts.map { $0.1.map(\.id) } == [[], ["a"]])
        }
    }

    /// VAL-30
    @Test func `rows that another thread decodes are left out as well`() throws {
        try store.write { tx in
            for number in 1000..<3000 {
                let kind: NewKind = number.isMultiple(of: 3) ? .reminder : .event
                try tx.insert(NewJob(id: "n\(number)", title: "", kind: kind))
            }
        }
        let found = try store.fetch(all.where { $0.id >= "n" })
        #expect(found.count == (1000..<3000).count { !$0.isMultiple(of: 3) })
        #expect(told.all.count == 2000 - found.count)
    }

    /// VAL-30
    @Test func `a watched row appears when it becomes readable`() async throws {
        var updates = store.observe(all).makeAsyncIterator()
        #expect(try await updates.next()?.results.map(\.id) == ["a", "d"])
        try await store.write { _ = try $0.update(NewJob.self, id: "b") { $0.kind = .event } }
        #expect(try await updates.next()?.results.map(\.id) == ["a", "b", "d"])
        try await store.write { _ = try $0.update(NewJob.self, id: "a") { $0.kind = .reminder } }
        #expect(try await updates.next()?.results.map(\.id) == ["b", "d"])
    }

    /// VAL-30
    @Test func `groups by such a value are an error`() throws {
        let error = #expect(throws: StoreError.self) { try store.group(all, by: \.kind, .count) }
        #expect(error?.code == .invalidValue)
    }

    /// VAL-32
    @Test func `a declared case stands for what is not known, and is not written over it`() throws {
        let jobs = try store.fetch(FetchDescriptor<CarefulJob>())
        #expect(jobs.map(\.kind) == [.chore, .other, .event, .event])
        #expect(jobs.map(\.second) == [nil, nil, nil, .chore])
        try store.write { tx in
            try tx.update(CarefulJob.self, id: "b") { $0.title = "b" }
            try tx.update(CarefulJob.self, id: "b") { $0.kind = .other }
            try tx.update(CarefulJob.self, id: "c") { $0.title = "c" }
        }
        #expect(try store.fetch(NewJob.self, id: "b")?.kind == .reminder)
        #expect(try store.fetch(NewJob.self, id: "b")?.title == "b")
        #expect(try store.fetch(NewJob.self, id: "c")?.second == .reminder)
        try store.write { tx in
            try tx.update(CarefulJob.self, id: "b") { $0.kind = .chore }
            try tx.update(CarefulJob.self, id: "c") { $0.second = .event }
            try tx.update(CarefulJob.self, id: "d") { $0.second = nil }
            try tx.update(CarefulJob.self, id: "a") { $0.kind = .other }
        }
        #expect(try store.fetch(Errand.self, id: "b")?.kind == .chore)
        #expect(try store.fetch(Errand.self, id: "c")?.second == .event)
        #expect(try store.fetch(Errand.self, id: "d")?.second == nil)
        #expect(try store.fetch(CarefulJob.self, id: "a")?.kind == .other)
        #expect(told.all.isEmpty)
        #expect(try store.verify().faults == [])
    }

    /// VAL-32
    @Test func `queries compare what is stored`() throws {
        let other = FetchDescriptor<CarefulJob>().where { $0.kind == .other }
        #expect(try store.fetch(other).isEmpty)
        let kinds = try store.read { try $0.values(of: FetchDescriptor<CarefulJob>(), \.kind) }
        #expect(kinds.map { $0 } == [.chore, .other, .event, .event])
    }

    /// VAL-32
    @Test func `nothing stands for unknown values in an embedded struct`() {
        let mistake = #expect(throws: SchemaError.self) { try Schema(validating: Room.self) }
        #expect(mistake?.code == .invalidDefault)
        #expect(mistake?.attribute == "kind")
    }
}
