import FaultSupport
import TestSupport
import Testing

@testable import Reprise

/// Queries for the members of a list.
struct ListQueryTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 5))
        try store.write { transaction in
            try transaction.insert(Town(id: "delft", title: "Delft", size: nil))
            for number in 0..<6 {
                var person = world.person(number, towns: 0, people: 0)
                person.age = 10 * number
                person.name = "name \(9 - number)"
                person.town = number < 5 ? "delft" : nil
                try transaction.insert(person)
            }
            for number in [3, 1, 3, 2] { try transaction.link(Person.friends, from: "p0", to: Person.ID("p\(number)")) }
        }
    }

    private func ids(_ people: [Person]) -> [String] { people.map(\.id.rawValue) }

    private func moveLastFriendToFront() throws {
        try store.write { transaction in
            let last = try #require(try transaction.entries(Person.friends, of: "p0").last)
            try transaction.move(Person.friends, entry: last.id, of: "p0", to: .first)
        }
    }

    /// QRY-38
    @Test func `members come in the order of their list, repeats kept`() throws {
        #expect(ids(try store.fetch(Person.friends, of: "p0")) == ["p3", "p1", "p3", "p2"])
        try moveLastFriendToFront()
        #expect(ids(try store.fetch(Person.friends, of: "p0")) == ["p2", "p3", "p1", "p3"])
        #expect(ids(try store.fetch(Town.people, of: "delft")) == ["p0", "p1", "p2", "p3", "p4"])
        #expect(ids(try store.fetch(Person.admirers, of: "p3")) == ["p0", "p0"])
        #expect(try store.fetch(Person.friends, of: "nobody").isEmpty)
    }

    @Test func `members are filtered, sorted and limited where that is asked`() throws {
        let people = FetchDescriptor(Town.people, of: "delft")
        #expect(ids(try store.fetch(people.where { $0.age > 10 }.limit(2))) == ["p2", "p3"])
        #expect(ids(try store.fetch(people.sorted(by: \.name))) == ["p4", "p3", "p2", "p1", "p0"])
        #expect(ids(try store.fetch(people.sorted(by: \.name).offset(1).limit(2))) == ["p3", "p2"])
        #expect(try store.count(people) == 5)
        #expect(try store.count(people.where { $0.age > 10 }) == 3)
        #expect(try store.sum(\.age, of: people) == 100)
    }

    @Test func `a write sees what it has done to the list`() throws {
        try store.write { transaction in
            try transaction.link(Person.friends, from: "p0", to: "p5", at: .first)
            #expect(ids(try transaction.fetch(Person.friends, of: "p0")).first == "p5")
            try transaction.delete(Person.self, id: "p3")
            #expect(ids(try transaction.fetch(Person.friends, of: "p0")) == ["p5", "p1", "p2"])
        }
    }

    /// STO-102: the list holds "p3" twice.
    @Test func `a member that a list has twice is changed once`() throws {
        let friends = FetchDescriptor(Person.friends, of: "p0")
        try store.write { transaction in
            let changedCount = try transaction.update(friends) { $0.age += 1 }
            #expect(changedCount == 3)
            #expect(try transaction.fetch(Person.self, id: "p3")?.age == 31)
            let deletedCount = try transaction.delete(friends)
            #expect(deletedCount == 3)
            #expect(try transaction.fetch(Person.friends, of: "p0").isEmpty)
        }
    }

    @Test func `the past has the list of then`() throws {
        let before = try store.read { $0.position }
        try moveLastFriendToFront()
        let then = try store.read(asOf: .position(before)) { try $0.fetch(Person.friends, of: "p0") }
        #expect(ids(then) == ["p3", "p1", "p3", "p2"])
    }

    @Test func `a list that is not there, members of another model and a place of another query are refused`() throws {
        func code(_ query: RecordQuery) -> StoreError.Code? {
            do {
                _ = try store.read { try $0.records(query) }
                return nil
            } catch { return (error as? StoreError)?.code }
        }
        let delft = EntityReference(model: "town", id: "delft")
        #expect(code(RecordQuery(model: "person", list: ListReference("visitors", of: delft))) == .unknownRelationship)
        #expect(code(RecordQuery(model: "town", list: ListReference("people", of: delft))) == .invalidQuery)
        let cursor = QueryCursor(values: [], id: "p1")
        let page = RecordQuery(model: "person", list: ListReference("people", of: delft), after: cursor)
        #expect(code(page) == .invalidQuery)
        let place = QueryCursor(values: [.int(2)], id: "")
        #expect(code(RecordQuery(model: "person", after: place)) == .invalidQuery)
    }

    /// QRY-38
    @Test func `the pages of a list together are the list, repeats kept`() throws {
        let all = FetchDescriptor(Person.friends, of: "p0")
        for descriptor in [all, all.sorted(by: \.name), all.where { $0.age > 10 }] {
            var (page, pages) = (descriptor.limit(2), [[String]]())
            while true {
                let found = try store.fetchPage(page)
                pages.append(ids(found.models))
                guard let next = found.next else { break }
                page = page.after(next)
            }
            #expect(pages.joined().elementsEqual(ids(try store.fetch(descriptor))))
            #expect(pages.count == 2)
        }
    }

    /// LIV-12
    @Test func `a list is observed in its order`() async throws {
        var updates = store.observe(FetchDescriptor(Person.friends, of: "p0")).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(ids(first.results) == ["p3", "p1", "p3", "p2"])
        try moveLastFriendToFront()
        let second = try #require(try await updates.next())
        #expect(ids(second.results) == ["p2", "p3", "p1", "p3"])
        var shown = first.results
        second.difference.apply(to: &shown, from: second.results)
        #expect(ids(shown) == ids(second.results))
        #expect(second.difference.moved.count == 1 && second.difference.updated.isEmpty)
    }

    @Test func `a list of a to-one is observed when members come, move, change and go`() async throws {
        var updates = store.observe(FetchDescriptor(Town.people, of: "delft").where { $0.age < 30 }).makeAsyncIterator()
        var shown = try #require(try await updates.next()).results
        #expect(ids(shown) == ["p0", "p1", "p2"])
        let changes: [(expected: [String], change: (inout WriteTransaction) throws -> Void)] = [
            (["p0", "p1", "p2", "p5"], { transaction in
                try transaction.update(Person.self, id: "p5") {
                    $0.age = 1
                    $0.town = "delft"
                }
            }),
            (["p5", "p0", "p1", "p2"], { transaction in
                let entry = try #require(try transaction.entries(Town.people, of: "delft").last)
                try transaction.move(Town.people, entry: entry.id, of: "delft", to: .first)
            }),
            (["p5", "p1", "p2"], { _ = try $0.update(Person.self, id: "p0") { $0.age = 99 } }),
            (["p5", "p2"], { _ = try $0.delete(Person.self, id: "p1") }),
            ([], { _ = try $0.delete(Town.self, id: "delft") }),
        ]
        for (expected, change) in changes {
            try write(change)
            let update = try #require(try await updates.next())
            update.difference.apply(to: &shown, from: update.results)
            #expect(ids(shown) == expected)
        }
    }

    private func write(_ change: (inout WriteTransaction) throws -> Void) throws {
        try store.write { try change(&$0) }
    }
}
