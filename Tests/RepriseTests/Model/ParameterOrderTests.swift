import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Attributes of one type stand in the order of the initialiser's parameters (STO-80).
@Suite struct ParameterOrderTests {
    private func mistake<M: Model>(_ type: M.Type) -> SchemaError? {
        do throws(SchemaError) {
            _ = try Schema(validating: type)
            return nil
        } catch {
            return error
        }
    }

    private func expectExchange<M: Model>(
        _ type: M.Type,
        _ first: String,
        _ second: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = mistake(type)
        #expect(found?.code == .exchangedAttributes, sourceLocation: location)
        #expect(found?.message.contains("\"\(first)\" and \"\(second)\"") == true, sourceLocation: location)
    }

    @Test func `two texts that have changed places are found, and both are named`() {
        expectExchange(Exchanged.self, "last", "first")
        #expect(mistake(Exchanged.self)?.attribute == "last")
    }

    @Test func `properties that have changed places under a declaration are found`() {
        expectExchange(Reordered.self, "first", "last")
    }

    @Test func `the three turns of three attributes are found`() {
        expectExchange(Turned.self, "a", "b")
    }

    @Test func `values of every type are told apart`() {
        expectExchange(Bools.self, "second", "first")
        expectExchange(Dates.self, "second", "first")
        expectExchange(Optionals.self, "second", "first")
        expectExchange(Parents.self, "second", "first")
        expectExchange(Kinds.self, "second", "first")
        expectExchange(Lists.self, "second", "first")
    }

    @Test func `an initialiser that takes the attributes in another order than the properties is right`() {
        #expect(mistake(Closure.self) == nil)
    }

    @Test func `an initialiser that changes what it is given is taken as it is`() {
        #expect(mistake(Trimmed.self) == nil)
    }

    @Test func `an initialiser that clamps, orders or demands is taken as it is`() {
        #expect(mistake(Clamped.self) == nil)
        #expect(mistake(Latest.self) == nil)
        #expect(mistake(Span.self) == nil)
        #expect(mistake(Reachable.self) == nil)
        #expect(mistake(Sorted.self) == nil)
    }

    @Test func `an embedded struct is tried as well, wherever it is`() {
        expectExchange(Within<Point2>.self, "y", "x")
        expectExchange(Within<Point2?>.self, "y", "x")
        expectExchange(Within<[Point2]>.self, "y", "x")
        expectExchange(Within<[String: Point2]>.self, "y", "x")
        #expect(mistake(Within<Point3>.self) == nil)
    }

    @Test func `where no values can be made of a type, the order of the properties counts`() {
        // An enum of texts tells nobody its cases.
        #expect(mistake(Untold.self) == nil)
        let found = mistake(UntoldExchanged.self)
        #expect(found?.code == .exchangedAttributes)
        #expect(found?.message.contains("\"second\" and \"first\"") == true)
        #expect(found?.message.contains("make the type of \"second\" CaseIterable") == true)
    }

    @Test func `a type that no value can be made of keeps the others from being tried`() {
        let found = mistake(Beside.self)
        #expect(found?.message.contains("\"last\" and \"first\"") == true)
        #expect(found?.message.contains("make the type of \"kind\" CaseIterable") == true)
    }

    @Test func `a type whose store is opened without it is tried when it is first used`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        try Store.open(at: path, schema: Schema(Right.self)).close()
        let store = try Store.open(existing: path)
        #expect {
            _ = try store.read { try $0.fetch(Exchanged.self, id: "a") }
        } throws: { error in
            (error as? StoreError)?.code == .invalidSchema
        }
    }
}

private struct Right: Model {
    var id: ID
    var first, last: String
    static let schema = ModelSchema(
        "person",
        Self.init,
        .id("id", \.id),
        .attribute("first", \.first),
        .attribute("last", \.last)
    )
}

private struct Exchanged: Model {
    var id: ID
    var first, last: String
    static let schema = ModelSchema(
        "person",
        Self.init,
        .id("id", \.id),
        .attribute("last", \.last),
        .attribute("first", \.first)
    )
}

private struct Reordered: Model {
    var id: ID
    var last, first: String
    static let schema = ModelSchema(
        "person",
        Self.init,
        .id("id", \.id),
        .attribute("first", \.first),
        .attribute("last", \.last)
    )
}

private struct Turned: Model {
    var id: ID
    var a, b, c: Int
    static let schema = ModelSchema(
        "turned",
        { Turned(id: $0, a: $2, b: $3, c: $1) },
        .id("id", \.id),
        .attribute("a", \.a),
        .attribute("b", \.b),
        .attribute("c", \.c)
    )
}

private struct Pair<V: StoredValue>: Model {
    var id: ID
    var first, second: V
    static var schema: ModelSchema<Self> {
        ModelSchema(
            "pair",
            Self.init,
            .id("id", \.id),
            .attribute("second", \.second),
            .attribute("first", \.first)
        )
    }
}

private typealias Bools = Pair<Bool>
private typealias Dates = Pair<Date>
private typealias Optionals = Pair<String?>
private typealias Kinds = Pair<Kind?>
private typealias Lists = Pair<[Int]>
private typealias UntoldExchanged = Pair<UntoldKind>

private enum Kind: String, StoredValue, CaseIterable { case song, podcast }
private enum UntoldKind: String, StoredValue { case song, podcast }

private struct Parents: Model {
    var id: ID
    var first: ID?
    var second: ID?
    static let schema = ModelSchema(
        "parents",
        Self.init,
        .id("id", \.id),
        .toOne("second", \.second),
        .toOne("first", \.first)
    )
}

private struct Closure: Model {
    var id: ID
    var first, last: String
    static let schema = ModelSchema(
        "closure",
        { Closure(id: $0, first: $2, last: $1) },
        .id("id", \.id),
        .attribute("last", \.last),
        .attribute("first", \.first)
    )
}

private struct Trimmed: Model {
    var id: ID
    var first, last: String
    init(id: ID, first: String, last: String) {
        self.id = id
        self.first = "<\(first)>"
        self.last = "<\(last)>"
    }
    static let schema = ModelSchema(
        "trimmed",
        Self.init,
        .id("id", \.id),
        .attribute("first", \.first),
        .attribute("last", \.last)
    )
}

private struct Clamped: Model {
    var id: ID
    var red, green, blue: Double
    init(id: ID, red: Double, green: Double, blue: Double) {
        self.id = id
        self.red = min(max(red, 0), 0.5)
        self.green = min(max(green, 0), 0.5)
        self.blue = min(max(blue, 0), 0.5)
    }
    static let schema = ModelSchema(
        "clamped",
        Self.init,
        .id("id", \.id),
        .attribute("red", \.red),
        .attribute("green", \.green),
        .attribute("blue", \.blue)
    )
}

private struct Latest: Model {
    var id: ID
    var updated, created: Date
    init(id: ID, updated: Date, created: Date) {
        self.id = id
        self.updated = max(updated, created)
        self.created = created
    }
    static let schema = ModelSchema(
        "latest",
        Self.init,
        .id("id", \.id),
        .attribute("updated", \.updated),
        .attribute("created", \.created)
    )
}

private struct Span: Model {
    var id: ID
    var rank, low, high: Int
    init(id: ID, rank: Int, low: Int, high: Int) {
        precondition(low <= high && rank > 0)
        self.id = id
        self.rank = rank
        self.low = low
        self.high = high
    }
    static let schema = ModelSchema(
        "span",
        Self.init,
        .id("id", \.id),
        .attribute("rank", \.rank),
        .attribute("low", \.low),
        .attribute("high", \.high)
    )
}

/// Each optional is the only one of its type.
private struct Reachable: Model {
    var id: ID
    var first, last: String
    var email: String?
    var phone: Int?
    init(id: ID, first: String, last: String, email: String?, phone: Int?) {
        precondition(email != nil || phone != nil)
        self.id = id
        self.first = first
        self.last = last
        self.email = email
        self.phone = phone
    }
    static let schema = ModelSchema(
        "reachable",
        Self.init,
        .id("id", \.id),
        .attribute("first", \.first),
        .attribute("last", \.last),
        .attribute("email", \.email),
        .attribute("phone", \.phone)
    )
}

private struct Sorted: Model {
    var id: ID
    var high, low: Int
    init(id: ID, high: Int, low: Int) {
        self.id = id
        self.high = max(high, low)
        self.low = min(high, low)
    }
    static let schema = ModelSchema(
        "sorted",
        Self.init,
        .id("id", \.id),
        .attribute("high", \.high),
        .attribute("low", \.low)
    )
}

private struct Point2: Embedded {
    var x, y: Int
    static let embedded = EmbeddedSchema(Self.init, .attribute("y", \.y), .attribute("x", \.x))
}

private struct Point3: Embedded {
    var x, y: Int
    static let embedded = EmbeddedSchema(Self.init, .attribute("x", \.x), .attribute("y", \.y))
}

private struct Within<V: StoredValue>: Model {
    var id: ID
    var place: V
    static var schema: ModelSchema<Self> {
        ModelSchema("within", Self.init, .id("id", \.id), .attribute("place", \.place))
    }
}

private struct Untold: Model {
    var id: ID
    var first, second: UntoldKind
    static let schema = ModelSchema(
        "untold",
        Self.init,
        .id("id", \.id),
        .attribute("first", \.first),
        .attribute("second", \.second)
    )
}

private struct Beside: Model {
    var id: ID
    var first, last: String
    var kind: UntoldKind
    static let schema = ModelSchema(
        "beside",
        Self.init,
        .id("id", \.id),
        .attribute("last", \.last),
        .attribute("first", \.first),
        .attribute("kind", \.kind)
    )
}
