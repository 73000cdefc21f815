import Foundation
import Reprise
import Synchronization
import Testing

@testable import RepriseCLI

/// `reprise watch` (CLI-17).
struct WatchCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private final class Progress: Sendable {
        private let state: Mutex<(left: ArraySlice<String>, byteCount: Int)>

        init(_ changes: [String]) {
            state = Mutex((changes[...], 0))
        }

        func hasGrown(to byteCount: Int) -> Bool {
            state.withLock { state in
                defer { state.byteCount = byteCount }
                return byteCount > state.byteCount
            }
        }

        func next() -> String? { state.withLock { $0.left.popFirst() } }
    }

    /// Runs `watch` and, each time that its output has grown, the next of some changes in a process of its own; stops
    /// when there is none left and the last one was seen.
    private func watch(_ words: [String], screen: Int? = nil, _ changes: [String]) async -> TestStore.Answer {
        let progress = Progress(changes)
        let path = store.path
        return await RunOutside.runApart(["watch", path] + words, screen: screen) { output in
            guard progress.hasGrown(to: output.utf8.count) else { return false }
            guard let change = progress.next() else { return true }
            let ending = try? Program.shell("\"$0\" \(change) >/dev/null", path).ending
            #expect(ending == .exited(0))
            return false
        }
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `each change of another process is a line`() async {
        let answer = await watch(
            ["book", "--where", "pages > 300", "--columns", "id,pages", "--json"],
            [
                #"put "$1" book --id b pages=400"#, #"put "$1" book --id b pages=401"#,
                #"put "$1" book --id a pages=1"#, #"delete "$1" book b"#,
            ]
        )
        #expect(answer.outcome == .done && answer.diagnostics.isEmpty)
        let expected = [
            ("inserted", #"{"id":"a","pages":856}"#), ("inserted", #"{"id":"b","pages":400}"#),
            ("updated", #"{"id":"b","pages":401}"#), ("removed", #"{"model":"book","id":"a"}"#),
            ("removed", #"{"model":"book","id":"b"}"#),
        ]
        #expect(answer.lines.count == expected.count)
        for (line, (change, entity)) in zip(answer.lines, expected) {
            #expect(line.hasSuffix(#","change":"\#(change)","entity":\#(entity)}"#), "\(line)")
            #expect(line.hasPrefix(#"{"position":"#))
        }
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `people see the results again`() async {
        let answer = await watch(
            ["book", "--sort", "pages:desc", "--columns", "id,pages", "--limit", "2"],
            screen: 60,
            [#"put "$1" book --id b pages=900"#]
        )
        #expect(answer.outcome == .done)
        let first = "2 books\nid  pages\na     856\nb     292\n\n"
        let second = "2 books\nid  pages\nb     900\na     856\n"
        #expect(answer.output.replacing(#/at position \d+: /#, with: "") == first + second, "\(answer.output)")
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `lists are watched with the entities that have them`() async {
        let answer = await watch(["shelf", "--json"], [#"link "$1" shelf top books c"#])
        #expect(answer.lines.count == 2)
        #expect(answer.lines.last?.hasSuffix(#""books":["a","b","a","c"]}}"#) == true)
    }

    @Test func `mistakes are told at once`() {
        #expect(RunOutside.run("watch", store.path, "bok").outcome == .usage)
        #expect(RunOutside.run("watch", store.path, "book", "--where", "x").outcome == .usage)
        #expect(RunOutside.run("watch", store.path, "book", "--columns", "x").outcome == .usage)
        #expect(RunOutside.run("watch", store.path + "-nothing", "book").outcome == .noInput)
    }

    @Test(.enabled(if: Program.path != nil, "The command has not been built beside the tests."))
    func `Ctrl-C ends it with exit code 0`() throws {
        let (ending, output) = try Program.shell(
            """
            "$0" watch "$1" author --json >"$2" &
            until [ -s "$2" ]; do sleep 0.05; done
            kill -INT $!
            wait $!
            code=$?
            cat "$2"
            exit $code
            """,
            store.path,
            store.directory.appendingPathComponent("watched").path
        )
        #expect(ending == .exited(0))
        let entity = #"{"model":"author","id":"kant","name":"Immanuel Kant","books":["a","b"]}"#
        #expect(output.hasSuffix("\"entity\":\(entity)}\n"))
    }
}
