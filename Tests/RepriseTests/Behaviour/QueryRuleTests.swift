import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct Page: Model {
    var id: ID
    var title: String?
    var size: Double?
    var count: Int = 0
    var tags: [String?] = []
    var marks: Set<Int> = []
    var words: [String: Int] = [:]
    var parent: ID?

    static let schema = ModelSchema(
        "page",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("size", \.size),
        .attribute("count", \.count),
        .attribute("tags", \.tags),
        .attribute("marks", \.marks),
        .attribute("words", \.words),
        .toOne("parent", \.parent)
    )
}

/// The rules of `Specs/behaviour/queries.md`, one by one.
struct QueryRuleTests {
    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        store = try Store.open(at: place("store"), schema: Schema(Page.self))
    }

    private func insert(_ pages: Page...) throws {
        try store.write { transaction in for page in pages { try transaction.insert(page) } }
    }

    private func ids(
        _ filter: FilterExpression? = nil,
        _ sort: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [String] {
        let query = RecordQuery(
            model: "page",
            filter: filter,
            sort: sort,
            limit: limit,
            offset: offset
        )
        return try store.read { transaction in
            let found = try transaction.records(query).map(\.id)
            // QRY-23: a count observes limit and offset.
            #expect(try transaction.count(query) == found.count)
            return found
        }
    }

    private func expectInvalid(
        _ filter: FilterExpression?,
        _ sort: [SortKey] = [],
        limit: Int? = nil
    ) {
        let error = #expect(throws: StoreError.self) { try ids(filter, sort, limit: limit) }
        #expect(error?.code == .invalidQuery)
    }

    /// QRY-01
    @Test func `text compares by bytes`() throws {
        try insert(
            Page(id: "1", title: "\u{E9}"),
            Page(id: "2", title: "e\u{301}"),
            Page(id: "3", title: "Z"),
            Page(id: "4", title: "a")
        )
        #expect(try ids(.compare(["title"], .equal, .string("\u{E9}"))) == ["1"])
        #expect(try ids(nil, [SortKey(["title"])]) == ["3", "4", "2", "1"])
        #expect(try ids(.compare(["id"], .equal, .string("2"))) == ["2"])
    }

    /// QRY-02, QRY-03, QRY-04, QRY-06, QRY-21
    @Test func `nil is first, NaN last, and -0 is 0`() throws {
        try insert(
            Page(id: "1", size: .nan),
            Page(id: "2", size: 0.0),
            Page(id: "3", size: nil),
            Page(id: "4", size: -0.0),
            Page(id: "5", size: .infinity),
            Page(id: "6", size: -.infinity)
        )
        #expect(try ids(nil, [SortKey(["size"])]) == ["3", "6", "2", "4", "5", "1"])
        #expect(
            try ids(nil, [SortKey(["size"], descending: true)]) == ["1", "5", "2", "4", "6", "3"]
        )
        #expect(try ids(.compare(["size"], .greater, .double(5))) == ["1", "5"])
        #expect(try ids(.compare(["size"], .equal, .double(.nan))) == ["1"])
        #expect(try ids(.compare(["size"], .equal, .double(0))) == ["2", "4"])
        let four = try store.fetch(Page.self, id: "4")
        #expect(four?.size?.sign == .minus)
    }

    /// QRY-05
    @Test func `small types have an order`() {
        #expect(Value.precedes(.bool(false), .bool(true)))
        #expect(Value.precedes(.data(Data([1])), .data(Data([1, 0]))))
        #expect(Value.precedes(.date(.distantPast), .date(.distantFuture)))
        #expect(Value.precedes(.decimal(-1), .decimal(Decimal(1) / 3)))
    }

    /// QRY-10, QRY-11
    @Test func `nil equals nothing but nil`() throws {
        try insert(Page(id: "1", title: nil), Page(id: "2", title: "a"))
        #expect(try ids(.compare(["title"], .less, .string("z"))) == ["2"])
        #expect(try ids(.not(.compare(["title"], .less, .string("z")))) == ["1"])
        #expect(try ids(.compare(["title"], .notEqual, .string("z"))) == ["1", "2"])
        #expect(try ids(.compare(["title"], .equal, .null)) == ["1"])
        #expect(try ids(.compare(["title"], .notEqual, .null)) == ["2"])
        #expect(try ids(.compare(["title"], .less, .null)) == [])
        #expect(try ids(.isIn(["title"], [.string("a"), .null])) == ["1", "2"])
        #expect(try ids(.contains(["title"], .string(""))) == ["2"])
    }

    /// QRY-12, QRY-18
    @Test func `constants are converted or refused`() throws {
        try insert(Page(id: "1", size: 2, count: 2))
        #expect(try ids(.compare(["size"], .equal, .int(2))) == ["1"])
        #expect(try ids(.compare(["count"], .equal, .double(2))) == ["1"])
        expectInvalid(.compare(["count"], .equal, .double(2.5)))
        expectInvalid(.compare(["count"], .equal, .string("2")))
        expectInvalid(.compare(["nothing"], .equal, .int(2)))
        expectInvalid(.compare(["title", "size"], .equal, .int(2)))
        expectInvalid(.compare([], .equal, .int(2)))
        expectInvalid(nil, limit: -1)
        let error = #expect(throws: StoreError.self) {
            try store.read { try $0.count(RecordQuery(model: "nothing")) }
        }
        #expect(error?.code == .unknownModel)
    }

    /// QRY-13, QRY-14
    @Test func `contains looks into text, lists, sets and maps`() throws {
        try insert(
            Page(id: "1", title: "abc", tags: ["x", nil], marks: [7], words: ["k": 1]),
            Page(id: "2", title: "b")
        )
        #expect(try ids(.contains(["title"], .string("b"))) == ["1", "2"])
        #expect(try ids(.startsWith(["title"], "ab")) == ["1"])
        #expect(try ids(.endsWith(["title"], "bc")) == ["1"])
        #expect(try ids(.contains(["tags"], .string("x"))) == ["1"])
        #expect(try ids(.contains(["marks"], .int(7))) == ["1"])
        #expect(try ids(.contains(["words"], .string("k"))) == ["1"])
        expectInvalid(.contains(["count"], .int(1)))
    }

    /// QRY-15
    @Test func `a path follows to-one relationships`() throws {
        try insert(
            Page(id: "1", title: "root"),
            Page(id: "2", parent: "1"),
            Page(id: "3", parent: "2")
        )
        #expect(try ids(.compare(["parent", "title"], .equal, .string("root"))) == ["2"])
        #expect(try ids(.compare(["parent", "parent", "id"], .equal, .string("1"))) == ["3"])
        #expect(try ids(.compare(["parent"], .equal, .string("1"))) == ["2"])
        #expect(try ids(.isNil(["parent", "parent"])) == ["1", "2"])
    }

    /// QRY-16, QRY-22
    @Test func `lists have equality and no order`() throws {
        try insert(Page(id: "1", tags: ["a", nil], marks: [2, 1]))
        #expect(try ids(.compare(["tags"], .equal, .list([.string("a"), .null]))) == ["1"])
        #expect(try ids(.compare(["marks"], .equal, .set([.int(1), .int(2)]))) == ["1"])
        expectInvalid(nil, [SortKey(["tags"])])
    }

    /// QRY-17
    @Test func `and, or, and nesting`() throws {
        try insert(Page(id: "1"))
        #expect(try ids(.and([])) == ["1"])
        #expect(try ids(.or([])) == [])
        var deep = FilterExpression.and([])
        for _ in 0..<199 { deep = .not(deep) }
        #expect(try ids(deep) == [])
        expectInvalid(.not(deep))
    }

    /// QRY-20, QRY-23
    @Test func `ties are broken by the identifier, and limits cut after offsets`() throws {
        for number in 0..<9 { try insert(Page(id: Page.ID("\(number)"), title: "t\(number / 3)")) }
        let ascending = [SortKey(["title"])]
        let descending = [SortKey(["title"], descending: true)]
        #expect(try ids(nil, descending) == ["6", "7", "8", "3", "4", "5", "0", "1", "2"])
        #expect(try ids(nil, descending, limit: 4, offset: 1) == ["7", "8", "3", "4"])
        #expect(try ids(nil, ascending, limit: 4, offset: 1) == ["1", "2", "3", "4"])
        #expect(
            try ids(.compare(["title"], .greater, .string("t0")), limit: 2, offset: 1) == [
                "4", "5",
            ]
        )
        #expect(try ids(nil, limit: 0) == [])
        #expect(try ids(nil, limit: 5, offset: 100) == [])
    }

    /// QRY-24, QRY-25
    @Test func `cut index keys change no result`() throws {
        let long = String(repeating: "l", count: 250)
        try insert(
            Page(id: "1", title: long + "b"),
            Page(id: "2", title: long + "a"),
            Page(id: "3", title: long),
            Page(id: "4", title: "m"),
            Page(id: "5", title: "k")
        )
        #expect(try ids(.compare(["title"], .equal, .string(long + "a"))) == ["2"])
        #expect(try ids(.compare(["title"], .greater, .string(long + "a"))) == ["1", "4"])
        #expect(try ids(.compare(["title"], .lessOrEqual, .string(long))) == ["3", "5"])
        #expect(try ids(nil, [SortKey(["title"])], limit: 3) == ["5", "3", "2"])
        #expect(try ids(nil, [SortKey(["title"], descending: true)], limit: 3) == ["4", "1", "2"])
    }

    /// QRY-26
    @Test func `a query in a write sees its changes, and one in the past does not`() throws {
        try insert(Page(id: "1", title: "a"))
        let before = try store.head()
        try store.write { transaction in
            try transaction.insert(Page(id: "2", title: "a"))
            let filter = FilterExpression.compare(["title"], .equal, .string("a"))
            #expect(try transaction.count(RecordQuery(model: "page", filter: filter)) == 2)
        }
        #expect(
            try store.read(asOf: .position(before)) { try $0.count(FetchDescriptor<Page>()) } == 1
        )
    }
}
