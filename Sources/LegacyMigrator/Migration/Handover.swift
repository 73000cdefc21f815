import Dispatch
import Foundation
import LegacyRecords
import Synchronization

/// What the writing thread has to do with, of what was read.
enum MigrationPiece: Sendable {
    case record(ShapedRecord)
    case list(LegacyList)
    case warning(LegacyWarning)
}

/// Hands what one thread reads to another one that writes, a few pieces ahead and no more, and the
/// writer's questions and its outcome back.
///
/// The reader asks the person in front of the screen, so whatever the writer wants to ask comes
/// back to the reader's thread.
///
/// Sendable, unchecked, because the state is only reached under the lock. That is no `Synchronization.Mutex`: on Linux
/// the thread sanitizer does not know it, and would report every use.
final class Handover<Question: Sendable, Outcome: Sendable>: @unchecked Sendable {
    /// What the writer gets.
    enum Input: Sendable {
        case pieces([MigrationPiece])
        /// The export was read to its end.
        case end(LegacyReading)
        /// The reader gave up; there will be nothing more.
        case abandoned
    }

    private struct State {
        var inputs: [(input: Input, weight: Int)] = []
        var weight = 0
        var question: Question?
        var answer: Bool?
        var outcome: Result<Outcome, any Error>?
    }

    /// How much the reader may be ahead: with a batch and a half of records neither waits for the other while a batch
    /// is written or read.
    private static var weightMax: Int { 8192 }

    private let lock = NSLock()
    private var state = State()
    /// Whether there may be a question.
    private let isAsked = Atomic(false)
    private let readerWakes = DispatchSemaphore(value: 0)
    private let writerWakes = DispatchSemaphore(value: 0)

    private func withLock<R>(_ body: (inout State) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    // MARK: The reader

    /// Passes a piece on; waits while the writer is too far behind, and answers its questions.
    ///
    /// - Parameter weight: how much it is; one for an ordinary record.
    /// - Returns: false when the writer has stopped and takes nothing more.
    func send(_ input: Input, weight: Int = 1, answering answer: (Question) -> Bool) -> Bool {
        while true {
            let isOver = withLock { state -> Bool? in
                if state.outcome != nil { return false }
                let isRoom = state.inputs.isEmpty || state.weight + weight <= Self.weightMax
                guard state.question == nil, isRoom else { return nil }
                state.inputs.append((input, weight))
                state.weight += weight
                return true
            }
            if let isOver {
                writerWakes.signal()
                return isOver
            }
            if !reply(answer) { readerWakes.wait() }
        }
    }

    /// Answers the writer's question, if there is one: for a reader that does not send for a while. Costs next to
    /// nothing where there is none.
    func replyIfAsked(_ answer: (Question) -> Bool) {
        if isAsked.load(ordering: .relaxed) { _ = reply(answer) }
    }

    /// Waits for the writer to end, and answers its questions until then.
    func finish(answering answer: (Question) -> Bool) -> Result<Outcome, any Error> {
        while true {
            if let outcome = withLock({ $0.outcome }) { return outcome }
            if !reply(answer) { readerWakes.wait() }
        }
    }

    /// Answers the writer's question, if there is one.
    private func reply(_ answer: (Question) -> Bool) -> Bool {
        guard let question = withLock({ $0.question }) else { return false }
        isAsked.store(false, ordering: .relaxed)
        let answer = answer(question)
        withLock { state in
            state.question = nil
            state.answer = answer
        }
        writerWakes.signal()
        return true
    }

    // MARK: The writer

    /// The next piece; waits until there is one.
    func receive() -> Input {
        while true {
            let input = withLock { state -> Input? in
                guard let next = state.inputs.first else { return nil }
                state.inputs.removeFirst()
                state.weight -= next.weight
                return next.input
            }
            if let input {
                readerWakes.signal()
                return input
            }
            writerWakes.wait()
        }
    }

    /// Asks the reader and waits for the answer.
    func ask(_ question: Question) -> Bool {
        // Before there is a question: were it said afterwards, it might be said of one that has been answered.
        isAsked.store(true, ordering: .relaxed)
        withLock { $0.question = question }
        readerWakes.signal()
        while true {
            let answer = withLock { state in
                defer { state.answer = nil }
                return state.answer
            }
            if let answer { return answer }
            writerWakes.wait()
        }
    }

    /// Says how it ended. Nothing may follow.
    func complete(_ outcome: Result<Outcome, any Error>) {
        withLock { $0.outcome = outcome }
        readerWakes.signal()
    }
}
