internal import RepriseLMDB
internal import RepriseLog

/// Checks the hashes of the log's blocks on a thread of its own, while what they say is gathered on the thread that
/// uses this.
final class BlockHashing {
    /// Sendable because the mapped bytes of a committed block do not change as long as the reading lasts, which ends
    /// after ``finish()``.
    private struct Block: @unchecked Sendable {
        let view: BlockView
    }

    /// What passes between the two threads.
    private final class Exchange: Sendable {
        struct State {
            var blocks: [Block] = []
            var isOver = false
            var failure: (any Error)?
        }

        let state = Guarded(State())
        /// Raised for every block, and at the end.
        let filled = Signal()
        /// Raised for every block that may be added.
        let free = Signal()
        let hasEnded = Signal()
    }

    /// How many blocks may wait: a log that is larger than the memory shall not be read twice.
    private static let blockCount = 64

    private let exchange = Exchange()
    /// Whether the system had a thread; otherwise blocks are hashed where they are added.
    private let hasThread: Bool
    private var isOver = false

    /// Starts the thread.
    init() {
        for _ in 0..<Self.blockCount { exchange.free.raise() }
        let exchange = exchange
        hasThread = DetachedThread.startIfPossible { Self.run(exchange) }
    }

    /// Has the hash of a block checked some time before ``finish()`` returns.
    func add(_ view: BlockView) {
        guard hasThread else { return Self.check(Block(view: view), exchange) }
        exchange.free.wait()
        exchange.state.withLock { $0.blocks.append(Block(view: view)) }
        exchange.filled.raise()
    }

    /// Waits for the end of the thread; once.
    ///
    /// - Throws: `LogError.corruptBlock` for the first block whose hash was wrong.
    func finish() throws {
        precondition(!isOver, "It ends once.")
        isOver = true
        exchange.state.withLock { $0.isOver = true }
        exchange.filled.raise()
        if hasThread { exchange.hasEnded.wait() }
        if let failure = exchange.state.withLock({ $0.failure }) { throw failure }
    }

    private static func run(_ exchange: Exchange) {
        while true {
            exchange.filled.wait()
            let block = exchange.state.withLock { state in
                state.blocks.isEmpty ? nil : state.blocks.removeFirst()
            }
            guard let block else { break }
            check(block, exchange)
            exchange.free.raise()
        }
        exchange.hasEnded.raise()
    }

    /// After the first wrong hash no other is looked at.
    private static func check(_ block: Block, _ exchange: Exchange) {
        guard exchange.state.withLock({ $0.failure == nil }) else { return }
        do {
            try block.view.checkHash()
        } catch {
            exchange.state.withLock { $0.failure = error }
        }
    }
}
