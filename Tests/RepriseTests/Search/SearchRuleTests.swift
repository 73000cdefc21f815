import FaultSupport
import Foundation
import TestSupport
import Testing

@testable import Reprise

/// The rules of `Specs/behaviour/search.md`, one by one.
struct SearchRuleTests {
    private let place: TemporaryDirectory
    private let store: Store

    init() throws {
        place = try TemporaryDirectory()
        store = try Store.open(at: place.path("store"), schema: SearchStore.schema)
    }

    /// Puts articles with these titles into the store; the identifiers are "0", "1", …
    private func insert(_ titles: String...) throws {
        try store.write { transaction in
            for (index, title) in titles.enumerated() {
                try transaction.insert(Article(id: .init("\(index)"), title: title, year: index))
            }
        }
    }

    private func found(_ text: String, completing: Bool = false) throws -> Set<String> {
        Set(try store.search(Article.self, text, completing: completing).map(\.model.id.rawValue))
    }

    /// SRC-01, SRC-02
    @Test func `case and diacritics do not count, and words are found whole`() throws {
        try insert("Café-Royal", "CAFE", "cafeteria", "東京の夜", "ＡC/DC 2nd", "ไทย")
        #expect(try found("cafe") == ["0", "1"])
        #expect(try found("ROYÁL café") == ["0"])
        #expect(try found("東") == ["3"])
        #expect(try found("東京") == ["3"])
        #expect(try found("京東") == [])
        // A wide space is a space.
        #expect(try found("夜\u{3000}東") == ["3"])
        #expect(try found("dc") == ["4"])
        #expect(try found("2nd") == ["4"])
        #expect(try found("nd") == [])
        #expect(try found("ท") == ["5"])
    }

    /// SRC-03
    @Test func `an apostrophe joins a word whose parts are words as well`() throws {
        try insert("L'amour", "Don’t stop", "'quoted'", "rock'n'roll")
        #expect(try found("amour") == ["0"])
        #expect(try found("l’amour") == ["0"])
        #expect(try found("lamour") == ["0"])
        #expect(try found("l") == [])
        #expect(try found("dont") == ["1"])
        #expect(try found("don't") == ["1"])
        #expect(try found("quoted") == ["2"])
        #expect(try found("rocknroll") == ["3"])
        #expect(try found("\"roll\"") == ["3"])
    }

    /// SRC-04, SRC-12
    @Test func `phrases are found within one attribute`() throws {
        try store.write { transaction in
            try transaction.insert(Article(id: "a", title: "one two", text: "three"))
            try transaction.insert(Article(id: "b", title: "two one", text: "one-two three"))
            try transaction.insert(Article(id: "c", title: "l'amour toujours"))
        }
        #expect(try found("\"one two\"") == ["a", "b"])
        #expect(try found("\"one two three\"") == ["b"])
        #expect(try found("two-one") == ["b"])
        #expect(try found("two one") == ["a", "b"])
        #expect(try found("\"two three") == ["b"])
        #expect(try found("\"amour toujours\"") == ["c"])
        #expect(try found("\"one tw*\"") == ["a", "b"])
    }

    /// SRC-05
    @Test func `long words are the same when their first 64 bytes are`() throws {
        let long = String(repeating: "x", count: 64)
        try insert(long, long + "y", String(long.dropLast()) + "é" + "z", String(long.dropLast()))
        #expect(try found(long) == ["0", "1"])
        #expect(try found(long + "zz") == ["0", "1"])
        #expect(try found(String(long.dropLast())) == ["3"])
        #expect(try found(long + "*") == ["0", "1"])
        // A character of three bytes that does not fit is left out whole.
        try store.write { try $0.insert(Article(id: "k", title: String(long.dropLast()) + "ケ")) }
        #expect(try found(String(long.dropLast())) == ["3", "k"])
    }

    /// SRC-10, SRC-11, SRC-13
    @Test func `all pieces must be there, beginnings count with a star, and a minus excludes`()
        throws
    {
        try insert("night train", "nightfall train", "night bus", "train")
        #expect(try found("train night") == ["0"])
        #expect(try found("nig*") == ["0", "1", "2"])
        #expect(try found("nig* tr*") == ["0", "1"])
        #expect(try found("train -night") == ["1", "3"])
        #expect(try found("train -nig*") == ["3"])
        #expect(try found("train -\"night train\"") == ["1", "3"])
        #expect(try found("night-train") == ["0"])
        #expect(try found("night \"train") == ["0"])
    }

    /// SRC-14
    @Test func `a search can be in one attribute`() throws {
        try store.write { transaction in
            try transaction.insert(Article(id: "a", title: "night", text: "day"))
            try transaction.insert(Article(id: "b", title: "day", text: "night"))
        }
        func ids(_ attribute: String?) throws -> Set<String> {
            try store.read { transaction in
                Set(
                    try transaction.records(
                        RecordSearch(model: "article", text: "night", attribute: attribute)
                    ).map(\.record.id)
                )
            }
        }
        #expect(try ids(nil) == ["a", "b"])
        #expect(try ids("title") == ["a"])
        #expect(try ids("text") == ["b"])
        let error = #expect(throws: StoreError.self) { try ids("note") }
        #expect(error?.code == .invalidQuery)
    }

    /// SRC-15
    @Test func `a query without words finds nothing, and one that makes no sense is refused`()
        throws
    {
        try insert("night", "day")
        for text in ["", " ", "-night", "!?", "\"\"", "*", "-", "\"", "- \"", "\u{301}"] {
            #expect(try found(text) == [], "\(text)")
            #expect(try found(text, completing: true) == [], "\(text)")
        }
        func expectInvalid(_ search: RecordSearch) {
            let error = #expect(throws: StoreError.self) {
                try store.read { try $0.records(search) }
            }
            #expect(error?.code == .invalidQuery)
        }
        let many = String(repeating: "a ", count: 65)
        expectInvalid(RecordSearch(model: "article", text: many))
        expectInvalid(RecordSearch(model: "plain", text: "night"))
        expectInvalid(RecordSearch(model: "article", text: "night", limit: -1))
        expectInvalid(RecordSearch(model: "article", text: "night", filter: .isNil(["missing"])))
        let error = #expect(throws: StoreError.self) { try store.search(Plain.self, "night") }
        #expect(error?.code == .invalidQuery)
    }

    /// SRC-16
    @Test func `a search that completes takes the last word as a beginning`() throws {
        try insert("night train", "nightfall")
        #expect(try found("nig") == [])
        #expect(try found("nig", completing: true) == ["0", "1"])
        #expect(try found("night ", completing: true) == ["0"])
        #expect(try found("\"night\"", completing: true) == ["0"])
        #expect(try found("train nigh", completing: true) == ["0"])
        #expect(try found("train -nigh", completing: true) == ["0"])
    }

    /// SRC-17, SRC-20
    @Test func `a filter and a limit hold, and equals come by identifier`() throws {
        try insert("night", "night", "night", "night night", "a long night indeed")
        func ids(_ limit: Int?, _ filter: ((Fields<Article>) -> Filter<Article>)? = nil) throws
            -> [String]
        {
            try store.search(Article.self, "night", limit: limit, where: filter).map(
                \.model.id.rawValue
            )
        }
        #expect(try ids(nil) == ["3", "0", "1", "2", "4"])
        #expect(try ids(2) == ["3", "0"])
        #expect(try ids(0) == [])
        #expect(try ids(2) { $0.year > 1 } == ["3", "2"])
        #expect(try ids(nil) { $0.year < 2 } == ["0", "1"])
    }

    /// SRC-21
    @Test func `weights, frequencies and lengths rank`() throws {
        try store.write { transaction in
            try transaction.insert(Article(id: "text", title: "day", text: "night"))
            try transaction.insert(Article(id: "title", title: "night", text: "day"))
            try transaction.insert(Article(id: "other", title: "day", text: "day"))
        }
        let hits = try store.search(Article.self, "night")
        #expect(hits.map(\.model.id.rawValue) == ["title", "text"])
        // N = 3, n = 2, m = 3, l = 3 for both.
        let idf = log(1 + 1.5 / 2.5)
        #expect(abs(hits[0].score - idf * 2 * 2.2 / (2 + 1.2)) < 1e-12)
        #expect(abs(hits[1].score - idf * 1 * 2.2 / (1 + 1.2)) < 1e-12)
    }

    /// SRC-22
    @Test func `a frequent word is judged by a sample`() {
        let exact = SearchRanking(rowCount: 1_000_000, entryCounts: [10_000], lengthSum: 30_000)
        let more = SearchRanking(rowCount: 1_000_000, entryCounts: [10_040], lengthSum: 30_120)
        #expect(exact.score([1], length: 3) == more.score([1], length: 3))
    }

    /// SRC-31
    @Test func `a search sees its own write, and the past as it was`() throws {
        try insert("night", "day")
        let before = try store.read { $0.position }
        try store.write { transaction in
            try transaction.update(Article.self, id: "0") { $0.title = "day" }
            try transaction.insert(Article(id: "9", title: "night"))
            #expect(try transaction.search(Article.self, "night").map(\.model.id) == ["9"])
            #expect(try Set(transaction.search(Article.self, "day").map(\.model.id)) == ["0", "1"])
        }
        try store.read(asOf: .position(before)) { transaction in
            let night = try transaction.search(Article.self, "night").map(\.model.id)
            #expect(night == ["0"])
            let day = try transaction.search(Article.self, "day").map(\.model.id)
            #expect(day == ["1"])
            let beginning = try transaction.search(Article.self, "ni*").map(\.model.id)
            #expect(beginning == ["0"])
        }
        try store.rollback(to: .position(before))
        #expect(try found("night") == ["0"])
        #expect(try found("day") == ["1"])
    }

    /// SRC-30
    @Test func `a verification finds a wrong entry`() throws {
        try insert("night", "day")
        store.close()
        try StoreSurgery.edit("index.a", at: place.path("store")) { $0[0] ^= 1 }
        let again = try Store.open(at: place.path("store"), schema: SearchStore.schema)
        defer { again.close() }
        #expect(try again.verify().faults.map(\.kind) == [.index])
        try again.replay()
        #expect(try again.verify().isSound)
    }

    /// SRC-32
    @Test func `another search index is built when the store is opened`() throws {
        try insert("night", "day")
        store.close()
        let path = place.path("store")
        #expect(try Store.open(existing: path).schema.model(named: "article")?.search?.number == 2)
        struct Other: Model {
            var id: ID
            var title: String
            var text: String?
            var note: String
            var year: Int
            static let schema = ModelSchema(
                "article",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .attribute("text", \.text),
                .attribute("note", \.note),
                .attribute("year", \.year)
            )
            .searchable("title", "text")
        }
        let again = try Store.open(at: path, schema: Schema(Plain.self, Other.self))
        defer { again.close() }
        #expect(try again.schema.model(named: "article")?.search?.number == 3)
        #expect(try again.search(Other.self, "night").map(\.model.id) == ["0"])
        #expect(try again.verify().isSound)
    }
}
