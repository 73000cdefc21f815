internal import RepriseLMDB
internal import RepriseLog

/// Builds the rows of some stretches on a thread of its own, ahead of the thread that passes them on to the writer.
///
/// Sendable because what it has is used by its own thread until that has ended, and only then by the one that waited
/// for the end.
final class StretchBuilder: @unchecked Sendable {
    private let stretches: [EventStretch]
    private let outbox: Outbox
    private let output: EntryOutput
    private var rows: RowBuilder?
    private var hasEnded = false

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - stretches: those that it builds, in order.
    ///   - makeRows: makes what builds them, from where they are put out.
    init(
        _ stretches: [EventStretch],
        idle: EntryBatchPool,
        makeRows: (EntryOutput) -> RowBuilder
    ) {
        let outbox = Outbox()
        let output = EntryOutput(idle) { try outbox.put($0) }
        self.stretches = stretches
        self.outbox = outbox
        self.output = output
        rows = makeRows(output)
        DetachedThread.start { [self] in
            run()
            outbox.hasEnded.raise()
        }
    }

    /// Hands the rows of the next stretch to `writer`, which may have to be waited for.
    ///
    /// - Throws: what has kept them from being built, or the writer from writing.
    func passOnStretch(to writer: ViewsWriter) throws {
        while true {
            switch outbox.take() {
            case .batch(let batch): try writer.append(batch)
            case .endOfStretch: return
            case .failure(let error): throw error
            }
        }
    }

    /// What follows from the rows, after the last stretch was passed on; once.
    func finish() -> RowBuilder {
        waitForEnd()
        guard let built = rows.take() else { preconditionFailure("It is taken once.") }
        return built
    }

    /// Waits for the thread's end, which need not have come to the end of its work. After it, it reads nothing of the
    /// log.
    func giveUp() {
        if hasEnded { return }
        outbox.giveUp()
        waitForEnd()
    }

    private func waitForEnd() {
        if hasEnded { return }
        outbox.hasEnded.wait()
        hasEnded = true
    }

    private func run() {
        do {
            for stretch in stretches {
                try rows?.build(stretch)
                try output.handOverAll()
                outbox.put(.endOfStretch)
            }
        } catch {
            outbox.put(.failure(error))
        }
    }
}

/// What a builder has built, in order, until it is passed on.
private final class Outbox: Sendable {
    enum Piece: Sendable {
        case batch(EntryBatch)
        case endOfStretch
        case failure(any Error)
    }

    struct GivenUp: Error {}

    private struct State {
        var pieces: [Piece] = []
        var isGivenUp = false
    }

    /// How many ordinary batches may wait, so that the memory is bounded: a stretch or two.
    private static let batchCount = 8

    private let state = Guarded(State())
    /// Raised for every piece.
    private let filled = Signal()
    /// Raised for every batch that may be put in.
    private let free = Signal()
    let hasEnded = Signal()

    init() {
        for _ in 0..<Self.batchCount { free.raise() }
    }

    /// Waits for room.
    func put(_ batch: EntryBatch) throws {
        for _ in 0..<batch.weight(atMost: Self.batchCount) { free.wait() }
        if state.withLock({ $0.isGivenUp }) { throw GivenUp() }
        put(.batch(batch))
    }

    func put(_ piece: Piece) {
        state.withLock { $0.pieces.append(piece) }
        filled.raise()
    }

    /// Waits for the next piece.
    func take() -> Piece {
        filled.wait()
        let piece = state.withLock { $0.pieces.removeFirst() }
        if case .batch(let batch) = piece {
            for _ in 0..<batch.weight(atMost: Self.batchCount) { free.raise() }
        }
        return piece
    }

    func giveUp() {
        state.withLock { $0.isGivenUp = true }
        // Enough for a batch of any size that waits; after it nothing is put in.
        for _ in 0..<Self.batchCount { free.raise() }
    }
}
