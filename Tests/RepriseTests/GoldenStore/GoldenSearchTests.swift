import Foundation
import Testing

@testable import Reprise

/// `Golden/store-v1-search` was made by the first version that has search indexes: schema encoding 2, folding 1, search
/// index 1. It is never made anew: a new format gets a new folder beside it.
struct GoldenSearchTests {
    private static let folder = "Tests/RepriseTests/Golden/store-v1-search"

    private func copy(in place: ScratchPlace) throws -> String {
        let path = place("golden")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Repository.root.appending(path: "\(Self.folder)/data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        return path
    }

    private func found(_ text: String, _ store: Store) throws -> [String] {
        try store.search(Article.self, text, limit: nil).map(\.model.id.rawValue).sorted()
    }

    /// A verification folds the log anew and compares every posting byte for byte: another folding, another way to cut
    /// words, or other bytes would be faults.
    @Test func `the golden search index is what its log folds to`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy(in: place))
        defer { store.close() }
        #expect(try store.verify().faults == [])
        #expect(try store.read { $0.counts.map(\.count).reduce(0, +) } == GoldenSearch.titles.count)
    }

    @Test func `the golden search index finds what it was made with`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: copy(in: place), schema: SearchStore.schema)
        defer { store.close() }
        #expect(try found("bjork", store) == ["a0"])
        #expect(try found("strasse", store) == ["a1"])
        #expect(try found("東京", store) == ["a2"])
        #expect(try found("don't", store) == ["a3"])
        #expect(try found("lodz", store) == ["a4"])
        #expect(try found("night*", store) == ["a5", "a6"])
        try store.replay()
        #expect(try found("night*", store) == ["a5", "a6"])
        #expect(try store.verify().faults == [])
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden search store`() throws {
        let place = try ScratchPlace()
        let path = place("golden")
        do {
            let store = try Store.open(at: path, schema: SearchStore.schema)
            defer { store.close() }
            try GoldenSearch.fill(store)
            // A copy made by replay has no free pages in it.
            try store.replay(into: place("compact"))
        }
        let target = Repository.root.appending(path: Self.folder).path
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        // Refuses to replace what is there.
        try FileManager.default.copyItem(
            atPath: place("compact/data.mdb"),
            toPath: "\(target)/data.mdb"
        )
    }
}

/// Words of many kinds.
enum GoldenSearch {
    static let titles = [
        "Björk", "Große Straße", "東京の夜", "Don't Stop", "Łódź İstanbul",
        "Night Train", "Nightfall, again and again", String(repeating: "w", count: 100),
        "ไม่เป็นไร", "Ærøskøbing 2024 9½", "",
    ]

    static func fill(_ store: Store) throws {
        try store.write { transaction in
            for (number, title) in titles.enumerated() {
                try transaction.insert(
                    Article(id: .init("a\(number)"), title: title, text: "text \(title)")
                )
            }
        }
        _ = try store.write { transaction in
            try transaction.update(Article.self, id: "a6") { $0.text = nil }
        }
    }
}
