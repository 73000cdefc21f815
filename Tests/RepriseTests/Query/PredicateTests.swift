import FaultSupport
import Foundation
import RepriseFoundation
import TestSupport
import Testing

@testable import Reprise

/// Foundation's predicates and sort descriptors, against what Foundation itself finds. QRY-50, QRY-51
struct PredicateTests {
    private let place: ScratchPlace
    private let store: Store
    private let people: [Person]

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 21))
        try store.write { transaction in
            for number in 0..<120 {
                var person = world.person(number, towns: 0, people: 0)
                // Foundation compares texts by canonical equivalence, and NaN with nothing.
                person.name = "name \(number % 7)"
                person.nickname = number % 4 == 0 ? nil : "nick \(number % 5)"
                person.weight = number % 6 == 0 ? nil : Double(number % 9)
                person.tags = ["a", "b", "c"].prefix(number % 4).map { $0 }
                try transaction.insert(person)
            }
        }
        people = try store.fetch(FetchDescriptor<Person>())
    }

    private func check(
        _ predicate: Predicate<Person>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try people.filter { try predicate.evaluate($0) }.map(\.id)
        let found = try store.fetchIDs(FetchDescriptor<Person>(predicate: predicate))
        #expect(found == expected, sourceLocation: sourceLocation)
        #expect(
            !expected.isEmpty,
            "The predicate should find something.",
            sourceLocation: sourceLocation
        )
        #expect(expected.count < people.count, sourceLocation: sourceLocation)
    }

    @Test func `comparisons and logic`() throws {
        let age = 4
        try check(#Predicate { $0.age > age })
        try check(#Predicate { 4 >= $0.age })
        try check(#Predicate { $0.name == "name 3" || $0.age == 2 })
        try check(#Predicate { !($0.age != 3) && $0.isActive })
        try check(#Predicate { $0.isActive == false })
        try check(#Predicate { $0.nickname == nil })
        try check(#Predicate { $0.nickname != nil && $0.age < 5 })
        try check(#Predicate { $0.nickname == "nick 2" })
        try check(#Predicate { $0.nickname != "nick 2" })
        try check(#Predicate { ($0.weight ?? 0) > 3 })
        try check(#Predicate { ($0.weight ?? 5) > 3 })
        let fields = try FetchDescriptor<Person>(predicate: #Predicate { $0.name == $0.name })
        #expect(fields.filter?.expression == .compareFields(["name"], .equal, ["name"]))
    }

    @Test func `text, collections and ranges`() throws {
        let names = ["name 1", "name 2"]
        try check(#Predicate { names.contains($0.name) })
        try check(#Predicate { $0.name.contains("3") })
        try check(#Predicate { $0.name.starts(with: "name 5") })
        #if canImport(Darwin)
            try check(#Predicate { $0.name.localizedStandardContains("NAME 5") })
        #endif
        try check(#Predicate { $0.nickname?.contains("3") ?? false })
        try check(#Predicate { $0.nickname?.contains("3") ?? true })
        try check(#Predicate { $0.nickname?.contains("3") == true })
        try check(#Predicate { $0.tags.contains("b") })
        try check(#Predicate { $0.tags.count > 1 })
        try check(#Predicate { $0.tags.isEmpty })
        try check(#Predicate { $0.tags.contains { $0 == "c" } })
        try check(#Predicate { $0.tags.allSatisfy { $0 == "a" } })
        try check(#Predicate { ($0.age) >= 2 && (2...5).contains($0.age) })
        try check(#Predicate { $0.scores.contains(3) })
    }

    private func refusal(_ predicate: Predicate<Person>) -> StoreError? {
        #expect(throws: StoreError.self) { try FetchDescriptor<Person>(predicate: predicate) }
    }

    @Test func `what cannot be translated is named`() throws {
        let arithmetic = refusal(#Predicate { $0.age + 1 > 3 })
        #expect(arithmetic?.code == .invalidQuery)
        #expect(arithmetic?.message.contains("Arithmetic") == true, "\(arithmetic as Any)")
        let element = refusal(#Predicate { $0.tags[0] == "a" })
        #expect(element?.message.contains("Subscript") == true, "\(element as Any)")
        let length = refusal(#Predicate { $0.name.count > 3 })
        #expect(length?.message.contains("KeyPath") == true, "\(length as Any)")
    }

    @Test func `sort descriptors`() throws {
        let descriptor = try FetchDescriptor<Person>(
            predicate: nil,
            sortBy: [
                SortDescriptor(\.age, order: .reverse),
                SortDescriptor(\.name, comparator: .lexical),
            ],
            limit: 20
        )
        let expected = people.sorted { left, right in
            left.age != right.age
                ? left.age > right.age
                : left.name != right.name ? left.name < right.name : left.id < right.id
        }
        #expect(try store.fetchIDs(descriptor) == expected.prefix(20).map(\.id))
        let error = #expect(throws: StoreError.self) {
            try FetchDescriptor<Person>(predicate: nil, sortBy: [SortDescriptor(\.name.count)])
        }
        #expect(error?.message.contains("no stored property") == true)
        #if canImport(Darwin)
            #expect(throws: StoreError.self) {
                try FetchDescriptor<Person>(
                    predicate: nil,
                    sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)]
                )
            }
        #endif
    }
}
