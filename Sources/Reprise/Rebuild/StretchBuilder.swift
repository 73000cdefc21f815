internal import RepriseLMDB
internal import RepriseLog

/// Builds the rows of some stretches on a thread of its own, ahead of the thread that passes them on to the writer.
///
/// Sendable because what it has is used by its own thread until that has ended, and only then by the one that waited
/// for the end.
final class StretchBuilder: @unchecked Sendable {
    /// Set before the beginning.
    private var stretches: [EventStretch] = []
    private let outbox: Outbox
    private let output: EntryOutput
    private var rows: RowBuilder?
    private var hasBegun = false
    private var hasEnded = false

    /// Starts the thread, which waits for ``begin(_:_:)``. Nil where the system has none to spare.
    ///
    /// - Parameter idle: where empty batches are found.
    init?(idle: EntryBatchPool) {
        let outbox = Outbox()
        output = EntryOutput(idle) { try outbox.put($0) }
        self.outbox = outbox
        let isStarted = DetachedThread.startIfPossible { [self] in
            outbox.hasBegun.wait()
            run()
            outbox.hasEnded.raise()
        }
        if !isStarted { return nil }
    }

    /// Begins with the work.
    ///
    /// - Parameters:
    ///   - stretches: those that it builds, in order.
    ///   - makeRows: makes what builds them, from where they are put out.
    func begin(_ stretches: [EventStretch], _ makeRows: (EntryOutput) -> RowBuilder) {
        self.stretches = stretches
        rows = makeRows(output)
        hasBegun = true
        outbox.hasBegun.raise()
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
        // The order of the events takes memory that others want now.
        stretches = []
        guard let built = rows.take() else { preconditionFailure("It is taken once.") }
        return built
    }

    /// Waits for the thread's end, which need not have come to the end of its work. After it, it reads nothing of the
    /// log.
    func giveUp() {
        if hasEnded { return }
        outbox.giveUp()
        if !hasBegun { outbox.hasBegun.raise() }
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
                try rows?.build(stretch) { try outbox.checkIsWanted() }
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
    /// Raised when there is work, or never will be.
    let hasBegun = Signal()
    let hasEnded = Signal()

    init() {
        for _ in 0..<Self.batchCount { free.raise() }
    }

    /// Waits for room.
    func put(_ batch: EntryBatch) throws {
        for _ in 0..<batch.weight(atMost: Self.batchCount) { free.wait() }
        try checkIsWanted()
        put(.batch(batch))
    }

    func checkIsWanted() throws {
        if state.withLock({ $0.isGivenUp }) { throw GivenUp() }
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
