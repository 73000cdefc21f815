import Testing

@testable import Reprise

private struct Note: Model {
    var id: ID
    var text: String

    static let schema = ModelSchema(
        "note",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("text", \.text)
    )
}

/// STO-11, decision 0011.
@MainActor struct IsolationTests {
    @Test func `a write on the main actor may use what is isolated to it`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Note.self))
        defer { store.close() }
        var seen: [String] = []
        try store.write { transaction in
            let texts = ["a", "b"].filter { $0.hasPrefix("b") }
            seen += texts
            try transaction.insert(Note(id: "1", text: texts.joined()))
        }
        try store.bulkLoad { loader in
            try loader.batch { transaction in
                seen += ["c"].map { $0.uppercased() }
                try transaction.insert(Note(id: "2", text: "c"))
            }
        }
        #expect(seen == ["b", "C"])
        #expect(try store.count(FetchDescriptor<Note>()) == 2)
    }

    @Test func `synchronous and asynchronous writes take turns`() async throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: place("store"), schema: Schema(Note.self))
        defer { store.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let note = Note(id: Note.ID("a\(number)"), text: "")
                    try await store.write { try $0.insert(note) }
                }
            }
            try Self.writeSynchronously(40, to: store)
            try await group.waitForAll()
        }
        #expect(try store.count(FetchDescriptor<Note>()) == 80)
        #expect(try store.statistics().commitCount == 81)
    }

    private static func writeSynchronously(_ count: Int, to store: Store) throws {
        for number in 0..<count {
            try store.write { try $0.insert(Note(id: Note.ID("s\(number)"), text: "")) }
        }
    }
}
