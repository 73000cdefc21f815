internal import RepriseLMDB
internal import RepriseLog

/// Reads what is new in the log, once for all who observe, and wakes those whom it concerns.
///
/// It has a thread while somebody observes. Own commits ring; those of other processes are met by watching the file
/// (LIV-09). Nothing is kept of what was read: who is woken looks at the present, so that he who is slow sees the
/// newest.
final class LiveDispatcher: Sendable {
    private struct State {
        var observations: [ObjectIdentifier: LiveObservation] = [:]
        /// What the thread waits at; nil while there is none.
        var watch: FileWatch?
        var isClosed = false
    }

    /// More new events than this are not read: everybody looks for himself.
    private static let eventCountMax: UInt64 = 20_000
    /// How long the thread trusts the system to tell it of other processes.
    private static let patience = 1000

    private let environment: Environment
    private let tables: StoreTables
    private let state = Guarded(State())

    init(_ environment: Environment, _ tables: StoreTables) {
        self.environment = environment
        self.tables = tables
    }

    /// Has an observation told of what concerns it, from the present state on.
    func add(_ observation: LiveObservation) throws {
        let position = try presentPosition()
        let begun = try state.withLock { state -> FileWatch? in
            if state.isClosed { throw StoreError.closed }
            let watch = try state.watch == nil ? environment.watch() : nil
            if let watch { state.watch = watch }
            state.observations[ObjectIdentifier(observation)] = observation
            return watch
        }
        if let begun { DetachedThread.start { self.run(begun, from: position) } }
    }

    func remove(_ observation: LiveObservation) {
        let idle = state.withLock { state -> FileWatch? in
            state.observations[ObjectIdentifier(observation)] = nil
            return state.observations.isEmpty ? state.watch : nil
        }
        idle?.wake()
    }

    /// How many observe.
    var observationCount: Int { state.withLock { $0.observations.count } }

    /// Tells that a commit of this process is on the disk. Costs next to nothing while nobody observes.
    func ring() {
        state.withLock { $0.watch }?.wake()
    }

    /// Ends all observations.
    func close() {
        let (observations, watch) = state.withLock { state in
            state.isClosed = true
            defer { state.observations = [:] }
            return (Array(state.observations.values), state.watch)
        }
        for observation in observations { observation.end() }
        watch?.wake()
    }

    private func presentPosition() throws -> UInt64 {
        let transaction = try environment.beginRead()
        return try StoreState.read(transaction.reader, tables).viewsPosition
    }

    private func run(_ watch: FileWatch, from start: UInt64) {
        var position = start
        var transactionID: UInt64 = 0
        while true {
            watch.wait(milliseconds: Self.patience)
            let goesOn = state.withLock { state in
                if !state.isClosed, !state.observations.isEmpty { return true }
                state.watch = nil
                return false
            }
            guard goesOn else { return }
            do {
                try dispatch(after: &position, &transactionID)
            } catch let error as LMDBError where error.code == .readersFull {
                // A crowd of readers passes; the next look is in a second at the latest.
                continue
            } catch {
                // Who looks meets the same error, and tells it to his consumer.
                for observation in present { observation.touch(at: .max) }
            }
        }
    }

    private var present: [LiveObservation] { state.withLock { Array($0.observations.values) } }

    /// Reads the events after `position` and wakes those whom they concern.
    private func dispatch(
        after position: inout UInt64,
        _ transactionID: inout UInt64
    ) throws {
        let transaction = try newestRead()
        guard transaction.transactionID != transactionID else { return }
        let head = try StoreState.read(transaction.reader, tables).viewsPosition
        transactionID = transaction.transactionID
        guard head > position else { return }
        defer { position = head }
        // Asked for after the read has begun: who comes later looks at this state or a later one.
        let observations = present
        if head - position > Self.eventCountMax {
            for observation in observations { observation.touch(at: head) }
            return
        }
        var untouched = observations
        let log = LogReader(transaction.reader, table: tables.log, head: head)
        try log.forEachEvent(in: (position + 1)...head) { event, _ in
            untouched.removeAll { observation in
                guard observation.isTouched(by: event) else { return false }
                // Not the event's own position: what is shown is the state at the head, and comes with all of this.
                observation.touch(at: head)
                return true
            }
            return !untouched.isEmpty
        }
    }

    /// A read of the last commit in the file. Readers are given it a moment after it was written there.
    private func newestRead() throws -> RepriseLMDB.ReadTransaction {
        for _ in 0..<40 {
            let transaction = try environment.beginRead()
            if transaction.transactionID >= environment.newestTransactionID { return transaction }
            DetachedThread.pause(microseconds: 250)
        }
        // The writer ended in that moment; the next one mends it.
        return try environment.beginRead()
    }
}
