internal import RepriseLMDB
internal import RepriseLog

/// Checks the hashes of the log's blocks on a thread of its own, while what they say is gathered on the thread that
/// uses this, which helps where the other one does not keep up.
final class BlockHashing {
    /// Sendable because the mapped bytes of a committed block do not change as long as the reading lasts, which ends
    /// after ``finish()`` or ``giveUp()``.
    private struct Block: @unchecked Sendable {
        let view: BlockView
    }

    /// What passes between the two threads.
    private final class Exchange: Sendable {
        struct State {
            var blocks: [Block] = []
            /// What is wrong with the first of the blocks that were found to be wrong, and where it is.
            var failure: (position: UInt64, error: any Error)?
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
        guard hasThread, exchange.free.wasRaised() else {
            return Self.check(Block(view: view), exchange)
        }
        exchange.state.withLock { $0.blocks.append(Block(view: view)) }
        exchange.filled.raise()
    }

    /// Checks what still waits and waits for the end of the thread. Either this or ``giveUp()`` is called, once.
    ///
    /// - Throws: `LogError.corruptBlock` for the first block whose hash was wrong.
    func finish() throws {
        while let block = Self.takeBlock(exchange) { Self.check(block, exchange) }
        end()
        if let failure = exchange.state.withLock({ $0.failure }) { throw failure.error }
    }

    /// Waits for the end of the thread, which checks no more than the block it is at: for who has stopped reading for a
    /// reason that the bytes have nothing to do with.
    func giveUp() {
        exchange.state.withLock { $0.blocks = [] }
        end()
    }

    /// Lets the thread find that no block waits any more.
    private func end() {
        precondition(!isOver, "It ends once.")
        isOver = true
        exchange.filled.raise()
        if hasThread { exchange.hasEnded.wait() }
    }

    private static func run(_ exchange: Exchange) {
        while true {
            exchange.filled.wait()
            guard let block = takeBlock(exchange) else { break }
            check(block, exchange)
            exchange.free.raise()
        }
        exchange.hasEnded.raise()
    }

    private static func takeBlock(_ exchange: Exchange) -> Block? {
        exchange.state.withLock { state in
            state.blocks.isEmpty ? nil : state.blocks.removeFirst()
        }
    }

    /// What comes after a wrong block is not looked at; what comes before it may still be on its way.
    private static func check(_ block: Block, _ exchange: Exchange) {
        let position = block.view.firstPosition
        let isWanted = exchange.state.withLock { state in
            state.failure.map { position < $0.position } ?? true
        }
        guard isWanted else { return }
        do {
            try block.view.checkHash()
        } catch {
            exchange.state.withLock { state in
                if let known = state.failure, known.position < position { return }
                state.failure = (position, error)
            }
        }
    }
}
