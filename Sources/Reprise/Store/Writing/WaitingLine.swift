/// Somebody who waits for a turn to write.
enum Waiting: Sendable {
    /// A thread whose commit may be one of a group.
    case thread(WaitingThread)
    /// A thread that needs the turn for itself.
    case alone(WaitingThread)
    /// A commit that the writer thread shall make.
    case job(WriteJob)
}

/// A thread that waits for its turn. Who gives it the turn sets what it shall know before he raises the signal.
///
/// Sendable, unchecked, because `place` is only touched under the lock of the turns, and the signal stands between the
/// thread that sets the failure and the one that reads it.
final class WaitingThread: @unchecked Sendable {
    enum Place {
        case inLine
        /// Its commit may join a group.
        case invited(CommitGroup)
        /// It has taken that up.
        case joined
        /// It has the turn itself.
        case leader
    }

    let turn = Signal()
    var place = Place.inLine

    /// Takes an invitation up, if there is one. Returns the place before.
    func takeUp() -> Place {
        defer { if case .invited = place { place = .joined } }
        return place
    }

    /// Takes an invitation back. Returns whether it was not taken up yet.
    func takeBack() -> Bool {
        guard case .invited = place else { return false }
        place = .inLine
        // Or else it would not wait for what it is told next.
        _ = turn.wasRaised()
        return true
    }

    /// Why the group's commit failed, if it did.
    var failure: (any Error)?
}

/// A commit for the writer thread to make, and how its caller learns what came of it.
///
/// Sendable, unchecked, because it is used by one thread at a time: by its maker until it is in the line, whose lock
/// hands it to the writer thread.
final class WriteJob: @unchecked Sendable {
    let begin: @Sendable () throws -> CommitGroup
    /// Makes the commit and keeps its result. Returns whether it went well.
    private let run: (CommitGroup) -> Bool
    /// Hands the result over, or the reason why the group's commit failed.
    let finish: ((any Error)?) -> Void

    init<R: Sendable>(
        begin: @escaping @Sendable () throws -> CommitGroup,
        add: @escaping @Sendable (CommitGroup) throws -> R,
        finish: @escaping (Result<R, any Error>) -> Void
    ) {
        self.begin = begin
        let outcome = Outcome<R>()
        run = { group in
            let result = Result { try add(group) }
            outcome.result = result
            if case .failure = result { return false }
            return true
        }
        self.finish = { failure in
            if let failure {
                finish(.failure(failure))
            } else if let result = outcome.result {
                finish(result)
            } else {
                preconditionFailure("A job is finished after it was run.")
            }
        }
    }

    func add(to group: CommitGroup) -> Bool { run(group) }

    private final class Outcome<R> {
        var result: Result<R, any Error>?
    }
}

/// Who waits, in order of arrival. Adding and taking are O(1), amortised.
struct WaitingLine {
    private var items: [Waiting?] = []
    private var start = 0

    var count: Int { items.count - start }

    var first: Waiting? { start < items.count ? items[start] : nil }

    mutating func append(_ waiting: Waiting) {
        items.append(waiting)
    }

    /// Puts back the write that was the first a moment ago.
    mutating func putBack(_ waiting: Waiting) {
        if start == 0 {
            items.insert(waiting, at: 0)
        } else {
            start -= 1
            items[start] = waiting
        }
    }

    mutating func popFirst() -> Waiting? {
        guard start < items.count else { return nil }
        defer {
            items[start] = nil
            start += 1
            if start == items.count {
                items.removeAll(keepingCapacity: true)
                start = 0
            } else if start >= 1024, start * 2 > items.count {
                items.removeFirst(start)
                start = 0
            }
        }
        return items[start]
    }
}
