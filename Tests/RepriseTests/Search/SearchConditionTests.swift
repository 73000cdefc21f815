import TestSupport
import Testing

@testable import Reprise

/// A search as a condition of a filter gives the rows that the search gives (SRC-10, SRC-14).
struct SearchConditionTests {
    private func check(
        _ text: String,
        _ attribute: String?,
        _ expected: Set<String>,
        _ transaction: borrowing ReadTransaction
    ) throws {
        let workspace = transaction.access.workspace
        let model = try workspace.schema.model(named: "article")
        let condition = try SearchCondition(text, attribute: attribute, of: model)
        let path = attribute.map { FieldPath([$0]) }
        func ids(_ filter: FilterExpression) throws -> [String] {
            try transaction.fetchIDs(RecordQuery(model: "article", filter: filter))
        }
        // What stands under "not" is asked of each row; the plain form may use the index.
        #expect(try ids(.not(.not(.matches(path, text)))) == expected.sorted(), "\(text)")
        #expect(try ids(.matches(path, text)) == expected.sorted(), "\(text)")
        guard condition.hasIndex else {
            #expect(throws: StoreError.self) {
                try condition.forEachMatch(in: workspace) { _ in true }
            }
            return
        }
        var found: [String] = []
        try condition.forEachMatch(in: workspace) { hit in
            found.append(unsafe String(decoding: hit.id, as: UTF8.self))
            return true
        }
        #expect(Set(found) == expected, "\(text)")
        #expect(found.count == expected.count, "each once")
        // In the order of identifiers where nothing has changed in memory.
        if workspace.rows.count == 0 { #expect(found == found.sorted()) }
        var stopped = 0
        try condition.forEachMatch(in: workspace) { _ in
            stopped += 1
            return false
        }
        #expect(stopped == min(1, expected.count))
    }

    @Test func `a condition finds and tests the same rows, in the present and in the past`() throws
    {
        let place = try TemporaryDirectory()
        let store = try Store.open(at: place.path("store"), schema: SearchStore.schema)
        defer { store.close() }
        try store.write { transaction in
            for (id, title, text, note) in [
                ("a", "night train", "day", "bus"), ("b", "nightfall", "train", "night"),
                ("c", "day", nil, "night bus"), ("d", "train night", "nights", ""),
            ] {
                try transaction.insert(Article(id: .init(id), title: title, text: text, note: note))
            }
        }
        let before = try store.read { $0.position }
        try store.write { transaction in
            try transaction.update(Article.self, id: "a") { $0.title = "day" }
            try transaction.delete(Article.self, id: "b")
            try transaction.insert(Article(id: "e", title: "night"))
        }
        try store.read { transaction in
            try check("night", nil, ["d", "e"], transaction)
            try check("nig*", nil, ["d", "e"], transaction)
            try check("night", "note", ["c"], transaction)
            try check("day -train", nil, ["a", "c"], transaction)
        }
        try store.read(asOf: .position(before)) { transaction in
            try check("night", nil, ["a", "d"], transaction)
            try check("nig* tr*", nil, ["a", "b", "d"], transaction)
            try check("nig*", "text", ["d"], transaction)
            try check("\"night train\"", nil, ["a"], transaction)
            try check("night", "note", ["b", "c"], transaction)
            try check("", nil, [], transaction)
        }
    }

    @Test func `a condition that makes no sense is refused`() throws {
        let place = try TemporaryDirectory()
        let store = try Store.open(at: place.path("store"), schema: SearchStore.schema)
        defer { store.close() }
        try store.read { transaction in
            let schema = transaction.access.workspace.schema
            let article = try schema.model(named: "article")
            let plain = try schema.model(named: "plain")
            #expect(throws: StoreError.self) {
                try SearchCondition("night", attribute: "year", of: article)
            }
            #expect(throws: StoreError.self) {
                try SearchCondition("night", attribute: "missing", of: article)
            }
            #expect(throws: StoreError.self) {
                try SearchCondition("night", attribute: nil, of: plain)
            }
            #expect(try SearchCondition("night", attribute: "title", of: plain).hasIndex == false)
        }
    }
}

extension SearchConditionTests {
    /// A limit made a scan look cheap that cuts every row into words.
    @Test func `a search with a limit uses its index`() throws {
        let place = try TemporaryDirectory()
        let store = try Store.open(at: place.path("store"), schema: SearchStore.schema)
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<3000 {
                let title = number % 1000 == 999 ? "rare \(number)" : "common"
                try transaction.insert(Article(id: .init("a\(number)"), title: title))
            }
        }
        let descriptor = FetchDescriptor<Article>().where { $0.matches("rare") }.limit(2)
        try store.read { transaction in
            let explanation = try transaction.explain(descriptor)
            #expect(explanation.steps[0].name == "search", "\(explanation)")
            #expect(try transaction.fetch(descriptor).map(\.id) == ["a1999", "a2999"])
            #expect(try transaction.exists(descriptor))
        }
    }
}
