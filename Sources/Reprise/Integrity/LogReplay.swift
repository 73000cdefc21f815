internal import RepriseLMDB
internal import RepriseLog

/// Folds a whole log, live ranges only, into an empty workspace, block by block, so that it can stop between blocks and
/// go on in another transaction (HIS-40, HIS-43).
final class LogReplay {
    /// The last position that is folded.
    let end: UInt64
    private let live: [ClosedRange<UInt64>]
    private var liveIndex = 0
    /// The position that is folded next.
    private(set) var next: UInt64 = 1
    /// How many events were folded; dead ones are passed over.
    private(set) var foldedCount = 0
    /// Called before each live event, and each declaration of a schema, with the state before it.
    var beforeEvent: ((EventView, Workspace) throws -> Void)?

    init(timeline: Timeline, upTo end: UInt64) {
        self.end = end
        live = timeline.liveRanges(upTo: end)
    }

    var isFinished: Bool { next > end }

    /// Folds blocks until `afterBlock` returns false or the end is reached.
    func fold(
        into workspace: Workspace,
        from log: LogReader,
        afterBlock: (BlockView) throws -> Bool
    ) throws {
        guard !isFinished else { return }
        try log.forEachBlock(from: next) { block in
            guard block.firstPosition <= end else { return false }
            var cursor = block.events()
            var isLive = false
            while let event = try cursor.next() {
                isLive = isAlive(event.position)
                // A rollback does not take a schema back.
                if isLive || event.type == .schemaDeclared { try beforeEvent?(event, workspace) }
                if isLive {
                    try workspace.apply(event)
                    foldedCount += 1
                }
                try workspace.labels.fold(event, time: block.timeMicroseconds)
            }
            if block.isLastOfCommit, isLive, block.digest != workspace.digest {
                throw StoreError.damage(
                    "The state after position \(block.lastPosition) does not have the digest that the log recorded."
                )
            }
            next = block.lastPosition + 1
            return try afterBlock(block) && next <= end
        }
    }

    private func isAlive(_ position: UInt64) -> Bool {
        while liveIndex < live.count, live[liveIndex].upperBound < position { liveIndex += 1 }
        return liveIndex < live.count && live[liveIndex].lowerBound <= position
    }
}

extension LogReader {
    /// The rollbacks and the last schema of the log up to a position, read from the log itself and from nothing that
    /// was derived from it. Every block is checked on the way.
    func survey(upTo end: UInt64) throws -> LogSurvey {
        var rollbacks: [(at: UInt64, to: UInt64)] = []
        var schemaPosition: UInt64 = 0
        var schemaNumber: UInt32 = 0
        try forEachBlock(from: 1) { block in
            guard block.firstPosition <= end else { return false }
            // A rollback is a commit of one event, and a declaration of a schema the first event of its commit.
            if block.isFirstOfCommit {
                var cursor = block.events()
                if let event = try cursor.next() {
                    if block.eventCount == 1, case .rolledBack(let target) = try Change(event) {
                        rollbacks.append((event.position, target))
                    }
                    if event.type == .schemaDeclared {
                        schemaPosition = event.position
                        schemaNumber = block.schema
                    }
                }
            }
            return true
        }
        return LogSurvey(
            timeline: Timeline(rollbacks: rollbacks),
            schemaPosition: schemaPosition,
            schemaNumber: schemaNumber
        )
    }
}

struct LogSurvey {
    let timeline: Timeline
    let schemaPosition: UInt64
    let schemaNumber: UInt32
}
