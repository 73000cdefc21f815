internal import RepriseLMDB
internal import RepriseLog

/// Writes views on a thread of its own, so that the next entries are worked out while the last ones are written and
/// synchronized.
///
/// Used by one thread, which must call ``close()`` in the end.
final class ViewsWriter {
    /// What passes between the two threads.
    private final class Exchange: Sendable {
        struct State {
            var work: [Work] = []
            var failure: (any Error)?
        }

        enum Work: Sendable {
            case entries(EntryBatch)
            case job(@Sendable (Side) -> Void)
            case end
        }

        let state = Guarded(State())
        /// Batches that are written and may be filled again.
        let idle = EntryBatchPool()
        /// Raised for every piece of work.
        let filled = Signal()
        /// Raised for every batch that may be handed over.
        let free = Signal()
        let hasEnded = Signal()
    }

    /// The side of the writing thread.
    private final class Side {
        var writer: StagedWriter?
    }

    /// How many batches may wait to be written: about as much as one transaction writes, so that the next entries are
    /// worked out while one is synchronized.
    private static let batchCount = 32

    private let exchange = Exchange()
    /// What is appended here is written, table by table in this order.
    let output: EntryOutput
    private var isClosed = false

    /// Begins the first transaction.
    ///
    /// - Parameter stepByteCount: see ``StagedWriter``.
    init(_ environment: Environment, stepByteCount: Int = StagedWriter.stepByteCount) throws {
        for _ in 0..<Self.batchCount { exchange.free.raise() }
        let exchange = exchange
        output = EntryOutput(exchange.idle) { try Self.handOver($0, exchange) }
        DetachedThread.start { Self.run(exchange) }
        do {
            try perform { $0.writer = try StagedWriter(environment, stepByteCount: stepByteCount) }
        } catch {
            close()
            throw error
        }
    }

    /// Batches that are written, for who fills them for this writer.
    var idleBatches: EntryBatchPool { exchange.idle }

    /// Takes over a batch that was filled elsewhere. Waits while too many are not written yet.
    ///
    /// - Throws: what has kept an earlier one from being written.
    func append(_ batch: EntryBatch) throws {
        try Self.handOver(batch, exchange)
    }

    /// Runs `body` in the present transaction.
    func inTransaction<R: Sendable>(
        _ body: @escaping @Sendable (StagedWriter) throws -> R
    ) throws -> R {
        try perform { side in
            guard let writer = side.writer else { preconditionFailure("The writer is finished.") }
            return try body(writer)
        }
    }

    /// Gives up what was not finished, and waits for the end of the thread.
    func close() {
        if isClosed { return }
        isClosed = true
        exchange.state.withLock { $0.work.append(.end) }
        exchange.filled.raise()
        exchange.hasEnded.wait()
    }

    // MARK: Handing over

    private static func handOver(_ full: EntryBatch, _ exchange: Exchange) throws {
        for _ in 0..<full.weight(atMost: batchCount) { exchange.free.wait() }
        let failure = exchange.state.withLock { state in
            state.work.append(.entries(full))
            return state.failure
        }
        exchange.filled.raise()
        if let failure { throw failure }
    }

    private func perform<R: Sendable>(
        _ body: @escaping @Sendable (Side) throws -> R
    ) throws -> R {
        try output.handOverAll()
        let answer = Guarded<Result<R, any Error>?>(nil)
        let isAnswered = Signal()
        let exchange = exchange
        exchange.state.withLock { state in
            state.work.append(
                .job { side in
                    let failure = exchange.state.withLock { $0.failure }
                    let result = Result { () throws in
                        if let failure { throw failure }
                        return try body(side)
                    }
                    answer.withLock { $0 = result }
                    isAnswered.raise()
                }
            )
        }
        exchange.filled.raise()
        isAnswered.wait()
        guard let result = answer.withLock({ $0 }) else {
            preconditionFailure("The writing thread has answered.")
        }
        return try result.get()
    }

    // MARK: The writing thread

    private static func run(_ exchange: Exchange) {
        let side = Side()
        while true {
            exchange.filled.wait()
            let work = exchange.state.withLock { $0.work.removeFirst() }
            switch work {
            case .entries(let batch):
                write(batch, side, exchange)
                let weight = batch.weight(atMost: batchCount)
                batch.removeAll()
                exchange.idle.put(batch)
                for _ in 0..<weight { exchange.free.raise() }
            case .job(let job): job(side)
            case .end:
                // What was not finished is given up on the thread that began it.
                side.writer = nil
                exchange.hasEnded.raise()
                return
            }
        }
    }

    private static func write(
        _ batch: EntryBatch,
        _ side: Side,
        _ exchange: Exchange
    ) {
        guard let table = batch.table, let writer = side.writer,
            exchange.state.withLock({ $0.failure == nil })
        else { return }
        do {
            try writer.append(batch, to: table)
        } catch {
            exchange.state.withLock { $0.failure = error }
        }
    }
}
