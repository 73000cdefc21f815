internal import RepriseLMDB
internal import RepriseLog

/// One who observes: what he has seen, what concerns him, and how he is woken.
final class LiveObservation: Sendable {
    private struct State {
        /// What concerns him; nil, everything, until he has looked for the first time.
        var region: LiveRegion?
        /// The position whose state he has seen.
        var shown: UInt64 = 0
        /// The last position known to concern him.
        var touched: UInt64 = 0
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    /// He is about to look. Until it is known what concerns him then, everything does: a commit that is made while he
    /// looks may touch what he is about to see for the first time.
    func beginLook() {
        state.withLock { state in
            state.region = nil
            // He was sent to look without anybody knowing why, and now he looks.
            if state.touched == .max { state.touched = state.shown }
        }
    }

    /// Notes what was seen and what concerns him from now on.
    func show(_ region: LiveRegion, at position: UInt64) {
        state.withLock { state in
            state.region = region
            state.shown = position
        }
    }

    /// Whether an event concerns him.
    func isTouched(by event: borrowing EventView) -> Bool {
        let region = state.withLock { $0.region }
        guard let region else { return true }
        // Damage is met, and told, when he looks.
        return (try? region.isTouched(by: event)) ?? true
    }

    /// Wakes him, unless he has seen that position.
    func touch(at position: UInt64) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.touched = max(state.touched, position)
            guard state.touched > state.shown else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Wakes him for the last time.
    func end() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isOver = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until something concerns him. Returns false when it is over, or the task is cancelled.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state -> Bool in
                    // Set before the handler below is called, which waits for this lock.
                    if state.isOver || Task.isCancelled || state.touched > state.shown {
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
        return !Task.isCancelled && !state.withLock { $0.isOver }
    }
}
