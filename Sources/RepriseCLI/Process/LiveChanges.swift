import Reprise
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The updates of an observed query for a thread that waits for them and for Ctrl-C.
final class LiveChanges: Sendable {
    private enum Arrival {
        case none
        case update(LiveUpdate<Record>)
        case end
        case failure(any Error)
    }

    /// How long the thread sleeps between two looks, in microseconds.
    private static let nap: UInt32 = 20_000

    private let arrival: Arrivals
    private let task: Task<Void, Never>

    private final class Arrivals: Sendable {
        private let state = Mutex(Arrival.none)

        func take() -> Arrival {
            state.withLock { state in
                defer { if case .update = state { state = .none } }
                return state
            }
        }

        func put(_ arrival: Arrival) { state.withLock { $0 = arrival } }

        var isTaken: Bool { state.withLock { if case .none = $0 { true } else { false } } }
    }

    /// Starts to observe.
    init(_ records: LiveRecords) {
        let arrival = Arrivals()
        self.arrival = arrival
        task = Task {
            do {
                for try await update in records {
                    arrival.put(.update(update))
                    // The next one has the difference to this one, so this one has to be seen.
                    while !arrival.isTaken { try await Task.sleep(for: .microseconds(Int64(Self.nap))) }
                }
                arrival.put(.end)
            } catch {
                arrival.put(.failure(error))
            }
        }
    }

    /// Waits for the next update.
    ///
    /// - Returns: nil when the user wants it to stop, and when the store was closed.
    /// - Throws: what observing throws.
    func next(unless interruption: Interruption) throws -> LiveUpdate<Record>? {
        while !interruption.isRequested() {
            switch arrival.take() {
            case .update(let update): return update
            case .end: return nil
            case .failure(let error): throw error
            case .none: usleep(Self.nap)
            }
        }
        return nil
    }

    /// Ends the observation.
    func stop() { task.cancel() }
}
