internal import RepriseLMDB
internal import RepriseLog

/// Sums up the digests of rows on a thread of its own, while the next rows are put together.
///
/// A row's share of the state's digest is a hash of all its bytes, and the sum does not depend on the order
/// (Specs/format/digest.md), so it need not be known before the commit. The bytes must stay where they are until
/// ``sum()`` or ``discard()`` has returned. Used by one thread at a time.
final class RowDigests {
    /// A row where it lies. Sendable, unchecked, because its bytes do not change before the sum is known.
    @safe
    private struct Row: @unchecked Sendable {
        let key: UnsafeRawBufferPointer
        let payload: UnsafeRawBufferPointer
    }

    /// What passes between the two threads.
    private final class Exchange: Sendable {
        struct State {
            var work: [[Row]] = []
            var sum = Digest256.zero
            var isOver = false
        }

        let state = Guarded(State())
        /// Raised for every piece of work, and at the end.
        let filled = Signal()
        /// Raised for every piece that is done.
        let done = Signal()
    }

    /// Enough to be worth waking another thread.
    private static let rowCountMax = 256

    private var exchange: Exchange?
    private var rows: [Row] = []
    /// The sum of what was hashed here, where there is no other thread.
    private var ownSum = Digest256.zero
    /// How many pieces were handed over and not yet waited for.
    private var openCount = 0

    deinit {
        guard let exchange else { return }
        exchange.state.withLock { $0.isOver = true }
        exchange.filled.raise()
    }

    /// Adds a row, which is hashed some time before ``sum()`` returns.
    func add(key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        unsafe rows.append(Row(key: key, payload: payload))
        if rows.count == Self.rowCountMax { handOver() }
    }

    /// The sum of the digests of all rows since the last call.
    func sum() -> Digest256 {
        var sum = ownSum &+ Self.sum(rows)
        ownSum = .zero
        rows.removeAll(keepingCapacity: true)
        guard let exchange, openCount > 0 else { return sum }
        while openCount > 0 {
            exchange.done.wait()
            openCount -= 1
        }
        exchange.state.withLock { state in
            sum = sum &+ state.sum
            state.sum = .zero
        }
        return sum
    }

    /// Forgets all rows since the last call of ``sum()``.
    func discard() {
        rows.removeAll(keepingCapacity: true)
        _ = sum()
    }

    private func handOver() {
        guard let exchange = running() else {
            ownSum = ownSum &+ Self.sum(rows)
            rows.removeAll(keepingCapacity: true)
            return
        }
        let full = rows
        exchange.state.withLock { $0.work.append(full) }
        exchange.filled.raise()
        openCount += 1
        rows = []
        rows.reserveCapacity(Self.rowCountMax)
    }

    /// The other thread, which is started when it is first needed; nil where the system has none.
    private func running() -> Exchange? {
        if let exchange { return exchange }
        let started = Exchange()
        guard DetachedThread.startIfPossible({ Self.run(started) }) else { return nil }
        exchange = started
        return started
    }

    private static func run(_ exchange: Exchange) {
        while true {
            exchange.filled.wait()
            let work = exchange.state.withLock { state in
                state.work.isEmpty ? nil : state.work.removeFirst()
            }
            guard let work else {
                if exchange.state.withLock({ $0.isOver }) { return }
                continue
            }
            let sum = sum(work)
            exchange.state.withLock { $0.sum = $0.sum &+ sum }
            exchange.done.raise()
        }
    }

    private static func sum(_ rows: [Row]) -> Digest256 {
        var sum = Digest256.zero
        for place in rows.indices {
            unsafe sum &+= RowView.digest(key: rows[place].key, payload: rows[place].payload)
        }
        return sum
    }
}
