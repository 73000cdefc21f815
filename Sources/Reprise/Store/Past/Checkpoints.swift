internal import RepriseLMDB
internal import RepriseLog

/// The few states of the past that were read last and are far from the present (HIS-80, HIS-81).
///
/// A read of the past begins at the head or at one of them, whichever is nearer. Nothing depends on them: without one
/// the whole way is gone in memory.
final class Checkpoints: Sendable {
    private struct State {
        /// Those that were used last come first.
        var kept: [Checkpoint] = []
        /// How many events reads have gone through since the last checkpoint was built.
        var travelledCount = 0
        /// Until when none is built, because building has failed: it might fail again.
        var pause: ContinuousClock.Instant?

        var isGivenUp: Bool { pause.map { ContinuousClock.now < $0 } ?? false }
    }

    /// How many are kept. Each takes as much of the disk as the views of its state.
    static let countMax = 3
    /// How long no other is built after one could not be.
    static let pauseAfterFailure = Duration.seconds(60)
    /// Over so many events a read takes about a fifth of a second, and needs nothing better.
    static let shortEventCount = 1 << 16

    private let state = Guarded(State())
    /// Held while one is built: others that want one wait for it, and may then begin from it.
    private let building = Guarded(())

    /// The way of a read.
    struct Way {
        let timeline: Timeline
        /// The position of the present state.
        let head: UInt64
        /// The position that is read.
        let target: UInt64
        /// The schema in force.
        let schemaPosition: UInt64
        /// How many events may be gone through in memory.
        let eventCountMax: Int
        /// Over how many events a read is so short that it needs nothing better.
        let shortEventCount: Int
    }

    /// Where a read begins; nil is the head.
    ///
    /// A state that is too far for the memory is built. So is one where reads before it have gone through as many
    /// events as building it takes.
    ///
    /// - Parameters:
    ///   - isTooLarge: whether the changes on the way were found to take too much memory.
    ///   - build: builds the state that is read.
    func start(
        of way: Way,
        isTooLarge: Bool = false,
        build: () throws -> Checkpoint
    ) -> (checkpoint: Checkpoint?, failure: (any Error)?) {
        if let near = near(way, isTooLarge, adds: true) { return (near.checkpoint, nil) }
        return building.withLock { _ in
            // Somebody else may have built it meanwhile.
            if let near = near(way, isTooLarge, adds: false) { return (near.checkpoint, nil) }
            do {
                let built = try build()
                keep(built)
                return (built, nil)
            } catch {
                state.withLock { $0.pause = ContinuousClock.now + Self.pauseAfterFailure }
                return (nearest(way).checkpoint, error)
            }
        }
    }

    /// Forgets all of them. The files go with the last read that uses them.
    func removeAll() {
        let forgotten = state.withLock { state in
            defer { state.kept = [] }
            return state.kept
        }
        _ = forgotten
    }

    /// How many are kept.
    var count: Int { state.withLock { $0.kept.count } }

    private struct Start {
        let checkpoint: Checkpoint?
        let distance: Int
    }

    /// The nearest start, if that is near enough, or no other can be had.
    private func near(_ way: Way, _ isTooLarge: Bool, adds: Bool) -> Start? {
        let nearest = nearest(way)
        let isShort = nearest.distance <= way.shortEventCount
        return state.withLock { state in
            if adds, !isShort { state.travelledCount += nearest.distance }
            let isNear = nearest.distance <= (isTooLarge ? 0 : way.eventCountMax)
            let isWorthIt = !isShort && state.travelledCount > way.target
            guard state.isGivenUp || (isNear && !isWorthIt) else { return nil }
            if let used = nearest.checkpoint, let place = state.kept.firstIndex(where: { $0 === used }) {
                state.kept.remove(at: place)
                state.kept.insert(used, at: 0)
            }
            return nearest
        }
    }

    private func nearest(_ way: Way) -> Start {
        let kept = state.withLock { $0.kept }
        var nearest = Start(checkpoint: nil, distance: way.timeline.distance(from: way.head, to: way.target))
        for checkpoint in kept where checkpoint.schemaPosition == way.schemaPosition {
            let distance = way.timeline.distance(from: checkpoint.position, to: way.target)
            if distance < nearest.distance { nearest = Start(checkpoint: checkpoint, distance: distance) }
        }
        return nearest
    }

    private func keep(_ built: Checkpoint) {
        let forgotten = state.withLock { state in
            state.travelledCount = 0
            let before = state.kept
            state.kept = [built] + before.filter { $0.schemaPosition == built.schemaPosition }
            if state.kept.count > Self.countMax { state.kept.removeLast() }
            return before
        }
        // What goes closes its files, not under the lock.
        _ = forgotten
    }
}
