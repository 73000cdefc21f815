internal import RepriseLMDB
internal import RepriseLog

/// States of the past that are far from the present: the few that were built last (HIS-80, HIS-81), and those that
/// files beside the store have kept and reads have begun from (HIS-101).
///
/// A read of the past begins at the head or at one of them, whichever is nearer. Nothing depends on them: without one
/// the whole way is gone in memory.
final class Checkpoints: Sendable {
    private struct State {
        /// Those that were built. Those that were used last come first.
        var kept: [Checkpoint] = []
        /// Those that come from files. They take no room of their own.
        var opened: [Checkpoint] = []
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
    /// Held while one is built or opened: others that want one wait for it, and may then begin from it.
    private let building = Guarded(())

    /// The way of a read.
    struct Way {
        let timeline: Timeline
        /// The position of the state that is at hand: the present one, or one nearer by that is kept in memory.
        var start: UInt64
        /// The position that is read.
        let target: UInt64
        /// The last position of the log.
        let logHead: UInt64
        /// The schema in force.
        let schemaPosition: UInt64
        /// How many events may be gone through in memory.
        let eventCountMax: Int
        /// Over how many events a read is so short that it needs nothing better.
        let shortEventCount: Int
    }

    /// Where a read begins; nil is the state at hand.
    ///
    /// A state that is too far for the memory is built. So is one where reads before it have gone through as many
    /// events as building it takes.
    ///
    /// - Parameters:
    ///   - isTooLarge: whether the changes on the way were found to take too much memory.
    ///   - files: where files beside the store are looked for, if the way is not short.
    ///   - open: opens such a file; nil where it cannot be used.
    ///   - build: builds the state that is read.
    func start(
        of way: Way,
        isTooLarge: Bool = false,
        files: CheckpointFolder,
        open: (CheckpointFolder.Entry) -> Checkpoint?,
        build: () throws -> Checkpoint
    ) -> (checkpoint: Checkpoint?, failure: (any Error)?) {
        openNearer(way, isTooLarge ? 0 : way.shortEventCount, files, open)
        if let near = near(way, isTooLarge, adds: true) { return (near.checkpoint, nil) }
        return building.withLock { _ in
            // Another read may have built it meanwhile.
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
            defer { (state.kept, state.opened) = ([], []) }
            return state.kept + state.opened
        }
        _ = forgotten
    }

    /// Opens the nearest file from which a read has less far to go, unless it has been opened before.
    ///
    /// - Parameter least: how many events a file must save the read to be worth opening.
    private func openNearer(
        _ way: Way,
        _ least: Int,
        _ files: CheckpointFolder,
        _ open: (CheckpointFolder.Entry) -> Checkpoint?
    ) {
        func nearer() -> [CheckpointFolder.Entry] {
            let distance = nearest(way).distance
            guard distance > least else { return [] }
            let entries = files.entries().filter { $0.position <= way.logHead }
            return entries.map { ($0, way.timeline.distance(from: $0.position, to: way.target)) }
                .filter { $0.1 < distance - least }.sorted { $0.1 < $1.1 }.map(\.0)
        }
        if nearer().isEmpty { return }
        building.withLock { _ in
            // Another read may have opened one meanwhile.
            for entry in nearer() {
                guard let opened = open(entry) else { continue }
                state.withLock { state in
                    // Those of an older schema are of no use any more.
                    state.opened.removeAll { $0.schemaPosition != opened.schemaPosition }
                    state.opened.append(opened)
                }
                return
            }
        }
    }

    /// How many were built and are kept.
    var count: Int { state.withLock { $0.kept.count } }
    /// How many come from files.
    var openedCount: Int { state.withLock { $0.opened.count } }

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
        let known = state.withLock { $0.kept + $0.opened }
        var nearest = Start(checkpoint: nil, distance: way.timeline.distance(from: way.start, to: way.target))
        for checkpoint in known where checkpoint.schemaPosition == way.schemaPosition {
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
