internal import RepriseLMDB
internal import RepriseLog

/// Sorts the events of a log that have led to a state, and what the log says of labels, in bounded memory. The hash of
/// each block is checked.
struct LogGathering {
    /// A log of so many times the memory is sorted where it lies and read out of order; a larger one is copied.
    private static let inPlaceFactor = 4

    let log: LogReader
    /// Whether events stay in the mapped log, see ``EventOrder``.
    let inPlace: Bool
    let memoryByteCount: Int
    let makeFile: () throws(LMDBError) -> SpillFile

    /// Whether so many bytes of a log, and as many events as positions, can be sorted where they lie.
    static func mayReadInPlace(_ byteCount: Int, upTo end: UInt64, memoryByteCount: Int) -> Bool {
        byteCount / inPlaceFactor <= memoryByteCount
            && end <= EventOrder.positionMax
            && Int(end) * EventOrder.eventByteCount <= memoryByteCount / 8 * 5
    }

    /// Sorts what a rebuild toward a goal needs. Where the goal does not say which events count, a log with rollbacks
    /// is gone through twice, because only its end tells which of its events are alive.
    ///
    /// - Parameter report: called with the position that is reached; throwing ends the work.
    func gather(
        upTo end: UInt64,
        _ goal: RebuildGoal,
        _ report: (UInt64) throws -> Void
    ) throws -> EventGathering {
        guard let way = goal.rollback else { return try gather(upTo: end, report) }
        var gathered = try gather(way.timeline.liveRanges(upTo: way.target), upTo: end, report)
        // The timeline is read from the labels, and those are derived from the log.
        let isSame = gathered.rollbacks.elementsEqual(way.timeline.rollbacks) { $0.at == $1.at && $0.to == $1.to }
        guard isSame else { throw StoreError.damage("The rollbacks in the views are not those of the log.") }
        if let refusal = gathered.refusal { throw refusal }
        let key = LabelKey.rollback(at: end + 1)
        try gathered.add(label: key, LabelValue.rollback(to: way.target, key: key))
        return gathered
    }

    private func gather(
        upTo end: UInt64,
        _ report: (UInt64) throws -> Void
    ) throws -> EventGathering {
        let first = try gather(Timeline(rollbacks: []).liveRanges(upTo: end), upTo: end, report)
        if first.rollbacks.isEmpty {
            if let refusal = first.refusal { throw refusal }
            return first
        }
        let timeline = Timeline(rollbacks: first.rollbacks)
        // Its memory and files go before the second is made.
        _ = consume first
        let second = try gather(timeline.liveRanges(upTo: end), upTo: end, report)
        if let refusal = second.refusal { throw refusal }
        return second
    }

    /// Sorts the events that have led to a state of the past, and leaves labels out: they are no part of it.
    ///
    /// - Parameters:
    ///   - live: the positions of the events, ascending.
    ///   - report: called with the position that is reached; throwing ends the work.
    func gather(_ live: [ClosedRange<UInt64>], _ report: (UInt64) throws -> Void) throws -> EventGathering {
        let gathered = try gather(live, upTo: live.last?.upperBound ?? 0, takesLabels: false, report)
        if let refusal = gathered.refusal { throw refusal }
        return gathered
    }

    /// Goes through the log once.
    ///
    /// - Parameter live: the positions whose events count, ascending.
    private func gather(
        _ live: [ClosedRange<UInt64>],
        upTo end: UInt64,
        takesLabels: Bool = true,
        _ report: (UInt64) throws -> Void
    ) throws -> EventGathering {
        var gathered = EventGathering(
            live: live,
            inPlace: inPlace,
            takesLabels: takesLabels,
            memoryByteCount: memoryByteCount,
            makeFile: makeFile
        )
        let hashing = BlockHashing()
        var stop: (any Error)?
        let reading = Result {
            try log.forEachBlock(from: 1, hashed: false) { block in
                guard block.firstPosition <= end else { return false }
                hashing.add(block)
                try gathered.add(block)
                do {
                    try report(block.lastPosition)
                } catch {
                    stop = error
                    return false
                }
                return block.lastPosition < end
            }
        }
        // Who does not want to go on does not wait for what is still to be hashed, nor is told of it.
        if let stop {
            hashing.giveUp()
            throw stop
        }
        // What is wrong with the bytes comes before what seems wrong with what they say.
        try hashing.finish()
        try reading.get()
        return gathered
    }
}
