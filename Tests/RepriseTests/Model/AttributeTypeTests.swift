import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private enum Tone: String, Codable, StoredValue { case low, high }

private struct Address: CodableValue, Equatable {
    var street: String
    var city: String?
    var weight = 0.5
    var tone = Tone.low
}

/// Refuses to be encoded.
private struct Stubborn: CodableValue, Equatable {
    struct Refusal: Error {}
    var isStubborn = true

    func encode(to encoder: any Encoder) throws {
        if isStubborn { throw Refusal() }
        var container = encoder.singleValueContainer()
        try container.encode(isStubborn)
    }

    init(isStubborn: Bool) { self.isStubborn = isStubborn }

    init(from decoder: any Decoder) throws {
        isStubborn = try decoder.singleValueContainer().decode(Bool.self)
    }
}

private struct Visit: Model, Equatable {
    var id: ID
    var page: URL?
    var took: Duration = .zero
    var large: Int64 = 0
    var middle: Int32 = 0
    var small: Int16 = 0
    var tiny: Int8 = 0
    var port: UInt16 = 0
    var grade: UInt8?
    var colour: UInt32 = 0
    var address: Address?
    var former: [Address] = []
    var stubborn: Stubborn?

    static let schema = ModelSchema(
        "visit",
        Self.init,
        .id("id", \.id),
        .attribute("page", \.page),
        .attribute("took", \.took, indexed: true),
        .attribute("large", \.large),
        .attribute("middle", \.middle, indexed: true),
        .attribute("small", \.small),
        .attribute("tiny", \.tiny),
        .attribute("port", \.port),
        .attribute("grade", \.grade),
        .attribute("colour", \.colour),
        .attribute("address", \.address),
        .attribute("former", \.former),
        .attribute("stubborn", \.stubborn)
    )
}

private let attosecond = Duration.nanoseconds(1) / 1_000_000_000

/// What can be stored in an attribute beside the types of the standard library's first row.
struct AttributeTypeTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Visit.self))
    }

    private func put(_ values: [String: Value]) throws {
        try store.write { _ = try $0.put(EntityReference(model: "visit", id: "v"), values: values) }
    }

    private func stored(_ name: String) throws -> Value? {
        try store.read { try $0.record(model: "visit", id: "v")?[name] }
    }

    /// VAL-21, VAL-22, VAL-23
    @Test func `every type comes back as it was`() throws {
        let visit = Visit(
            id: "v",
            page: URL(string: "https://example.org/a%20b?q=1#f"),
            took: .seconds(-3) - attosecond,
            large: .min,
            middle: .max,
            small: .min,
            tiny: -128,
            port: .max,
            grade: 255,
            colour: .max,
            address: Address(street: "A/B \"street\"", city: nil),
            former: [Address(street: "", city: "Ö", weight: .infinity)]
        )
        try store.write { try $0.insert(visit) }
        #expect(try store.fetch(Visit.self, id: "v") == visit)
        #expect(try store.verify().faults == [])
    }

    /// VAL-22
    @Test(arguments: [
        Duration.zero, .seconds(1), .nanoseconds(1), .milliseconds(-1500),
        .seconds(Int64.max) + (.seconds(1) - attosecond), .seconds(Int64.min) - (.seconds(1) - attosecond),
        attosecond,
    ])
    func `a duration is stored to the attosecond`(duration: Duration) throws {
        var writer = RowPayloadWriter()
        duration.write(to: &writer)
        let back = try unsafe Duration.read(writer.bytes)
        #expect(back == duration)
        // As a constant of a filter, too.
        var again = RowPayloadWriter()
        try Value(duration).write(to: &again, as: .decimal)
        #expect(unsafe [UInt8](again.bytes) == [UInt8](writer.bytes))
    }

    /// VAL-22
    @Test func `durations are compared, sorted and added up`() throws {
        try store.write { tx in
            for (id, seconds) in [("a", 90), ("b", 30), ("c", 600)] {
                try tx.insert(Visit(id: Visit.ID(id), took: .seconds(seconds), middle: Int32(seconds)))
            }
        }
        let long = FetchDescriptor<Visit>().where { $0.took > .seconds(60) }.sorted(by: \.took, .descending)
        #expect(try store.fetch(long).map(\.id) == ["c", "a"])
        let sums = try store.read {
            try $0.aggregate(FetchDescriptor<Visit>(), .sum(\.took), .average(\.took), .sum(\.middle))
        }
        #expect(sums.0 == .seconds(720))
        #expect(sums.1 == 240)
        #expect(sums.2 == 720)
        #expect(try store.count(FetchDescriptor<Visit>().where { $0.middle >= 90 && $0.port == 0 }) == 2)
    }

    /// VAL-21
    @Test(arguments: [("tiny", 128), ("port", -1), ("grade", 256), ("middle", 1 << 31), ("colour", 1 << 32)])
    func `a stored number that the type does not hold is an error that names the attribute`(
        name: String,
        number: Int
    ) throws {
        try store.write { try $0.insert(Visit(id: "v")) }
        try put([name: .int(number)])
        let error = #expect(throws: StoreError.self) { try store.fetch(Visit.self, id: "v") }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("its \(name) is \(number), which its Swift type does not have.") == true)
    }

    /// VAL-22
    @Test func `a decimal that is no duration is an error of its row`() throws {
        try store.write { try $0.insert(Visit(id: "v")) }
        for text in ["NaN", "0.0000000000000000001", "9223372036854775808", "-9223372036854775809", "1e100"] {
            let number = text == "NaN" ? Decimal.nan : try #require(Decimal(string: text))
            try put(["took": .decimal(number)])
            #expect(throws: StoreError.self, "\(text)") { try store.fetch(Visit.self, id: "v") }
        }
    }

    /// VAL-20
    @Test func `a URL is its absolute text`() throws {
        let base = try #require(URL(string: "https://example.org/a/"))
        try store.write { try $0.insert(Visit(id: "v", page: URL(string: "../b", relativeTo: base))) }
        #expect(try stored("page") == .string("https://example.org/b"))
        let page = try #require(URL(string: "https://example.org/b"))
        #expect(try store.count(FetchDescriptor<Visit>().where { $0.page == page }) == 1)
        try put(["page": .string("")])
        #expect(throws: StoreError.self) { try store.fetch(Visit.self, id: "v") }
    }

    /// VAL-23
    @Test func `a Codable value is canonical text`() throws {
        let address = Address(street: "a/b", city: "Köln", weight: .nan, tone: .high)
        try store.write { try $0.insert(Visit(id: "v", address: address)) }
        let text = #"{"city":"Köln","street":"a/b","tone":"high","weight":"NaN"}"#
        #expect(try stored("address") == .string(text))
        #expect(try store.fetch(Visit.self, id: "v")?.address?.weight.isNaN == true)
        #expect(try store.count(FetchDescriptor<Visit>().where { $0.address == address }) == 1)
        try put(["address": .string(#"{"street":1}"#)])
        let error = #expect(throws: StoreError.self) { try store.fetch(Visit.self, id: "v") }
        #expect(error?.message.contains("address") == true)
    }

    /// VAL-23
    @Test func `a value that cannot be encoded is refused by the write and named`() throws {
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Visit(id: "v", stubborn: Stubborn(isStubborn: true))) }
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains(#"attribute "stubborn""#) == true)
        try store.write { try $0.insert(Visit(id: "v", stubborn: Stubborn(isStubborn: false))) }
        #expect(try stored("stubborn") == .string("false"))
    }
}
