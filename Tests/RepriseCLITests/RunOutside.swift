import Foundation

@testable import RepriseCLI

/// Command lines on something that is no test store.
enum RunOutside {
    static func run(_ words: String...) -> TestStore.Answer { run(words) }

    /// - Parameters:
    ///   - screen: the columns of the terminal that shows output and diagnostics; nil for pipes.
    ///   - stop: whether the user wants it to stop, by what was written so far.
    static func run(
        _ words: [String],
        screen: Int? = nil,
        until stop: (@Sendable (String) -> Bool)? = nil
    ) -> TestStore.Answer {
        let output = MemorySink()
        let diagnostics = MemorySink()
        let traits = screen.map { TerminalTraits(isTerminal: true, width: $0, usesStyle: false) } ?? .plain
        var console = Console(
            output: output,
            outputTraits: traits,
            diagnostics: diagnostics,
            diagnosticsTraits: traits,
            interruption: stop.map { stop in Interruption { stop(output.text) } } ?? .never
        )
        let outcome = Tool.run(words, in: &console)
        return TestStore.Answer(outcome: outcome, output: output.text, diagnostics: diagnostics.text)
    }

    /// The same on a thread of its own: what waits for a task must hold none of the threads that tasks run on.
    static func runApart(
        _ words: [String],
        screen: Int? = nil,
        until stop: @escaping @Sendable (String) -> Bool
    ) async -> TestStore.Answer {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: run(words, screen: screen, until: stop))
            }
        }
    }
}
