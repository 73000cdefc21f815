import TestSupport
import Testing

@testable import Reprise

/// Conditions on lists within conditions on lists (QRY-33).
struct NestedListTests {
    private let place: ScratchPlace
    private let store: Store

    /// Everyone lives in one town, but for one who lives alone in another.
    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Person.self, Town.self))
        var world = QueryWorld(random: SeededGenerator(seed: 7))
        try store.write { transaction in
            for number in 0..<2 { try transaction.insert(Town(id: Town.ID("t\(number)"), title: "", size: nil)) }
            for number in 0..<12 {
                var person = world.person(number, towns: 0, people: 0)
                person.town = number == 0 ? "t1" : "t0"
                person.age = number
                try transaction.insert(person)
            }
        }
    }

    private func nested(_ depth: Int, _ inner: FilterExpression) -> FilterExpression {
        (0..<depth).reduce(inner) { condition, level in
            level % 3 == 2
                ? .not(.all(["town", "people"], .not(condition))) : .any(["town", "people"], condition)
        }
    }

    private func ids(_ filter: FilterExpression) throws -> [String] {
        try store.read { try $0.fetchIDs(RecordQuery(model: "person", filter: filter)) }
    }

    /// Asked anew for each way to it, the innermost condition is asked 11^60 times.
    @Test func `a condition that is nested deep takes a time that grows with its depth`() throws {
        func ask(_ depth: Int) throws { _ = try ids(nested(depth, .compare(["age"], .equal, .int(-1)))) }
        let ratio = try ThreadClock.ratio(of: { try ask(8) }, to: { try ask(4) })
        try #require(ratio < 10)
        #expect(try ids(nested(60, .compare(["age"], .equal, .int(-1)))).isEmpty)
        #expect(try ids(nested(60, .compare(["age"], .equal, .int(0)))) == ["p0"])
        #expect(try ids(nested(60, .compare(["age"], .equal, .int(5)))).count == 11)
    }

    @Test func `two conditions on one list have answers of their own`() throws {
        func towns(_ age: Int) -> FilterExpression {
            .any(["town", "people"], .compare(["age"], .equal, .int(age)))
        }
        #expect(try ids(.any(["town", "people"], .and([towns(3), towns(4)]))).count == 11)
        #expect(try ids(.any(["town", "people"], .and([towns(3), towns(0)]))).isEmpty)
        #expect(try ids(.any(["town", "people"], .or([towns(-1), towns(0)]))) == ["p0"])
    }

    @Test func `answers are forgotten rather than that memory grows without a bound`() {
        let answers = ListAnswers(byteCountMax: 1)
        func ask(_ condition: UInt16, _ owner: [UInt8]) -> Bool? {
            unsafe owner.withUnsafeBytes { unsafe answers.answer(condition, about: $0) }
        }
        func note(_ answer: Bool, _ condition: UInt16, _ owner: [UInt8]) {
            unsafe owner.withUnsafeBytes { unsafe answers.note(answer, condition, about: $0) }
        }
        note(true, 1, [1])
        #expect(ask(1, [1]) == true && ask(2, [1]) == nil && ask(1, [2]) == nil)
        note(false, 1, [2])
        #expect(ask(1, [1]) == nil && ask(1, [2]) == false)
        let tooLong = [UInt8](repeating: 1, count: 5000)
        note(true, 1, tooLong)
        #expect(ask(1, tooLong) == nil)
    }
}
