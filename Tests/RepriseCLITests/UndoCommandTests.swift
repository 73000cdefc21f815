import Testing

@testable import RepriseCLI

/// `reprise undo`, and `revert` of a stretch of the log: HIS-52 and HIS-61 on the command line.
struct UndoCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
        for title in ["First", "Second"] { #expect(put(title).outcome == .done) }
    }

    private func put(_ title: String) -> TestStore.Answer { store.run("put", "book", "--id", "a", "title=\(title)") }

    private var title: String { store.run("fetch", "book", "--id", "a", "--columns", "title", "--json").output }

    /// The position at which the newest commit ends.
    private func head() throws -> String {
        let log = store.run("log", "--oneline", "--reverse", "--limit", "1").output
        return try #require(log.split(separator: " ").first.map(String.init))
    }

    @Test func `the log, the history and the blame say what an undo has taken back`() throws {
        let second = try head()
        #expect(store.run("undo").outcome == .done)
        #expect(title.contains("First"))
        let undo = try head()
        #expect(store.run("log", "--oneline", "--from", undo).output.contains("  undo of \(second)  "))
        #expect(store.run("log", "--from", undo).lines.first?.contains("  undo of \(second)") == true)
        #expect(store.run("history", "book", "a").lines.first?.contains("  undo of \(second)") == true)
        #expect(store.run("blame", "book", "a").output.contains("  undo of \(second)  "))
        for verb in ["history", "blame"] {
            #expect(store.run(verb, "book", "a", "--json").output.contains(#""causation":\#(second)"#))
        }
        #expect(store.run("redo").outcome == .done)
        #expect(store.run("history", "book", "a").lines.first?.contains("  redo of \(undo)") == true)
    }

    @Test func `the history says which commit had deleted what came back`() throws {
        #expect(store.run("delete", "book", "a").outcome == .done)
        let deletion = try head()
        #expect(store.run("restore", "book", "a").outcome == .done)
        #expect(store.run("history", "book", "a").lines.first?.contains("  restore, deleted by \(deletion)") == true)
    }

    @Test func `what was done from a position on is taken back at once`() throws {
        let second = try head()
        #expect(put("Third").outcome == .done)
        #expect(store.run("revert", "\(second)..head").outcome == .done)
        #expect(title.contains("First"))
        #expect(store.run("history", "book", "a").lines.first?.contains("  revert of \(second)..") == true)
        let next = store.run("revert", "99999..head")
        #expect(next.outcome != .done && next.diagnostics.contains("99999"))
        #expect(store.run("revert", "head..\(second)").outcome == .usage)
    }
}
