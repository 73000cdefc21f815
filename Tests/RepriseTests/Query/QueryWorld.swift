import TestSupport

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A person in the world of the query tests: every kind of attribute, several indexes, relationships to itself and to
/// towns.
struct Person: Model {
    var id: ID
    var name: String
    var nickname: String?
    var age: Int
    var weight: Double?
    var height: Float?
    var wealth: Decimal?
    var born: Date?
    var token: UUID?
    var isActive: Bool
    var tags: [String]
    var scores: Set<Int>
    var words: [String: Int]
    var town: Town.ID?
    var parent: ID?

    static let schema = ModelSchema(
        "person",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .attribute("nickname", \.nickname, indexed: true),
        .attribute("age", \.age, indexed: true),
        .attribute("weight", \.weight, indexed: true),
        .attribute("height", \.height, indexed: true),
        .attribute("wealth", \.wealth, indexed: true),
        .attribute("born", \.born),
        .attribute("token", \.token),
        .attribute("isActive", \.isActive),
        .attribute("tags", \.tags),
        .attribute("scores", \.scores),
        .attribute("words", \.words),
        .toOne("town", \.town, inverse: "people"),
        .toOne("parent", \.parent)
    )
    .index("isActive", "age")
    .index("nickname", "name")
    .toMany("friends", of: Person.self)
    .inverse("admirers", of: Person.self, "friends")

    static let friends = Relationship<Person, Person>("friends")
    static let admirers = Relationship<Person, Person>("admirers")
}

struct Town: Model {
    var id: ID
    var title: String
    var size: Int?

    static let schema = ModelSchema(
        "town",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("size", \.size)
    )
    .toMany("people", of: Person.self, inverse: "town")

    static let people = Relationship<Town, Person>("people")
}

/// Makes people and towns by chance, with values that meet often.
struct QueryWorld {
    var random: SeededGenerator

    static let letters = ["a", "b", "A", "é", "E\u{301}", "z", "0", "\u{0}", " "]

    mutating func text(_ lengthMax: Int = 4) -> String {
        // Now and then long enough to be cut in an index.
        if Int.random(in: 0..<40, using: &random) == 0 {
            return String(repeating: "x", count: 230) + text(2)
        }
        let count = Int.random(in: 0...lengthMax, using: &random)
        return (0..<count).map { _ in Self.letters.randomElement(using: &random)! }.joined()
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .nan
        case 1: -0.0
        case 2: 0
        case 3: .infinity
        case 4: -.infinity
        case 5: .leastNonzeroMagnitude
        default: Double(Int.random(in: -6...6, using: &random)) / 2
        }
    }

    mutating func maybe<T>(_ value: T) -> T? {
        Int.random(in: 0..<4, using: &random) == 0 ? nil : value
    }

    mutating func person(_ number: Int, towns: Int, people: Int) -> Person {
        Person(
            id: Person.ID("p\(number)"),
            name: text(),
            nickname: maybe(text(2)),
            age: Int.random(in: -2...9, using: &random),
            weight: maybe(double()),
            height: maybe(Float(double())),
            wealth: maybe(Decimal(Int.random(in: -30...30, using: &random)) / 8),
            born: maybe(Date(timeIntervalSinceReferenceDate: double())),
            token: maybe(
                UUID(
                    uuid: (
                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        UInt8.random(in: 0...5, using: &random)
                    )
                )
            ),
            isActive: Bool.random(using: &random),
            tags: (0..<Int.random(in: 0...3, using: &random)).map { _ in text(1) },
            scores: Set(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Int.random(in: 0...4, using: &random)
                }
            ),
            words: Dictionary(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    (text(1), Int.random(in: 0...4, using: &random))
                },
                uniquingKeysWith: { $1 }
            ),
            town: towns > 0 ? maybe(Town.ID("t\(Int.random(in: 0..<towns, using: &random))")) : nil,
            parent: people > 0
                ? maybe(Person.ID("p\(Int.random(in: 0..<people, using: &random))")) : nil
        )
    }
}
