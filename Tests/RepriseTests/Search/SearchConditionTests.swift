import TestSupport
import Testing

@testable import Reprise

/// A search as a condition of a filter gives the rows that the search gives (SRC-10, SRC-14).
struct SearchConditionTests {
    private func check(
        _ text: String,
        _ attribute: String?,
        _ expected: Set<String>,
        _ workspace: Workspace
    ) throws {
        let model = try workspace.schema.model(named: "article")
        let condition = try SearchCondition(text, attribute: attribute, of: model)
        var passing: Set<String> = []
        try unsafe workspace.forEachRow(of: model) { key, row in
            let payload = try unsafe RowPayload(trusting: row.payload)
            if condition.matches(payload) {
                let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
                passing.insert(id)
            }
            return true
        }
        #expect(passing == expected, "\(text)")
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
            let workspace = transaction.access.workspace
            try check("night", nil, ["d", "e"], workspace)
            try check("nig*", nil, ["d", "e"], workspace)
            try check("night", "note", ["c"], workspace)
            try check("day -train", nil, ["a", "c"], workspace)
        }
        try store.read(asOf: .position(before)) { transaction in
            let workspace = transaction.access.workspace
            try check("night", nil, ["a", "d"], workspace)
            try check("nig* tr*", nil, ["a", "b", "d"], workspace)
            try check("nig*", "text", ["d"], workspace)
            try check("\"night train\"", nil, ["a"], workspace)
            try check("night", "note", ["b", "c"], workspace)
            try check("", nil, [], workspace)
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
