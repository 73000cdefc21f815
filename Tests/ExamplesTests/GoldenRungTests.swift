import Reprise
import TestSupport
import Testing

@testable import TodoV10

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `Golden/rung-1` to `rung-10` are stores of every version of the app, each made by the code of the versions up to it.
/// They are never made anew: a version 11 gets a folder beside them, and every later version opens them all.
struct GoldenRungTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private static func folder(of rung: Rung) -> URL { folder.appending(path: "rung-\(rung.number)") }

    /// What is to be found in the store of a version.
    private struct Expectation: Equatable {
        /// The digest of all rows, and the hash of the last commit.
        var digest: String
        var hash: String
        var head: UInt64
        /// By the names of its own version, and by those of the newest one that opened it.
        var before: [String]
        var after: [String]

        private static let title = "opened by version 10:"

        init(_ digest: String, _ hash: String, _ head: UInt64, before: [String], after: [String]) {
            (self.digest, self.hash, self.head, self.before, self.after) = (digest, hash, head, before, after)
        }

        init(of rung: Rung) throws {
            let file = GoldenRungTests.folder(of: rung).appending(path: "export.txt")
            let text = try String(contentsOf: file, encoding: .utf8)
            let lines = text.split(separator: "\n").map(String.init)
            let middle = try #require(lines.firstIndex(of: Self.title))
            let words = lines[0].split(separator: " ").map(String.init)
            try #require(words.count == 6)
            head = try #require(UInt64(words[1]))
            (digest, hash) = (words[3], words[5])
            before = Array(lines[1..<middle])
            after = Array(lines[(middle + 1)...])
        }

        var text: String {
            let first = "head \(head) digest \(digest) hash \(hash)"
            return ([first] + before + [Self.title] + after).joined(separator: "\n") + "\n"
        }
    }

    /// A store made by the code of the first versions, and what is found in it.
    private static func make(_ rung: Rung) throws -> (ladder: Ladder, found: Expectation) {
        let ladder = try Ladder.used(upTo: rung.number)
        let other = try Ladder.used(upTo: rung.number)
        let after = try other.with(Rung.newest) { try $0.content() }
        let found = try ladder.byNames { try expectation(of: $0, after: after) }
        return (ladder, found)
    }

    private static func expectation(of store: Store, after: [String]) throws -> Expectation {
        try store.read { transaction in
            var hash = ""
            try transaction.forEachCommit(reversed: true) { commit in
                hash = commit.hash
                return false
            }
            return Expectation(
                "\(transaction.digest)",
                hash,
                transaction.head.rawValue,
                before: try transaction.content(),
                after: after
            )
        }
    }

    /// A copy, because opening a store makes a lock file, and changes it.
    private func copy(of rung: Rung, to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Self.folder(of: rung).appending(path: "data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
    }

    @Test(arguments: Rung.all)
    func `the golden store of every version opens with the newest one in one step`(rung: Rung) throws {
        // STO-89, STO-91, STO-93
        let ladder = try Ladder()
        try copy(of: rung, to: ladder.path)
        let expected = try Expectation(of: rung)
        let (found, faults) = try ladder.byNames { store in
            (try Self.expectation(of: store, after: expected.after), try store.verify().faults)
        }
        #expect(found == expected)
        #expect(faults == [])
        try ladder.with(Rung.newest) { store in
            #expect(try store.content() == expected.after)
            #expect(try store.verify().faults == [])
            let digest = try store.read { $0.digest }
            #expect(try store.replay().digest == digest)
            try store.write { try $0.insert(TodoV10.Task(id: "more", summary: "More", project: "home")) }
            try store.rollback(to: .position(Position(rawValue: expected.head)))
            #expect(try store.verify().faults == [])
            // Code does not run again for what a rollback brings back, so tags that it made are gone.
            let isKept = { (line: String) in rung.number >= 9 || !line.hasPrefix("tag ") }
            let content = try store.content().filter(isKept).map(Self.withoutTags)
            #expect(content == expected.after.filter(isKept).map(Self.withoutTags))
        }
    }

    private static func withoutTags(_ line: String) -> String {
        line.replacing(/tags: \[[^\]]*\]/, with: "tags")
    }

    @Test(arguments: Rung.all)
    func `the code of every version still makes its golden store, to the hash of the log`(rung: Rung) throws {
        #expect(try Self.make(rung).found == Expectation(of: rung))
    }

    @Test(.enabled(if: environment["REPRISE_MAKE_GOLDEN"] != nil), arguments: Rung.all)
    func `make the golden stores`(rung: Rung) throws {
        let (ladder, found) = try Self.make(rung)
        // A copy made by replay has no free pages in it.
        try ladder.byNames { _ = try $0.replay(into: ladder.path("compact")) }
        let target = Self.folder(of: rung)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        // Refuses to replace what is there.
        try FileManager.default.copyItem(
            atPath: ladder.path("compact/data.mdb"),
            toPath: target.appending(path: "data.mdb").path
        )
        try Data(found.text.utf8).write(to: target.appending(path: "export.txt"))
    }
}
