internal import RepriseLMDB
internal import RepriseLog

/// Finds positions in a log, and takes a workspace from one to another.
struct TimeTravel {
    /// How many events a rollback goes through in memory, where another way can be taken. Beside the rows, the pages
    /// that it writes are in memory.
    static let eventCountMax = 1 << 16
    /// As many for a read, which writes no pages.
    static let readEventCountMax = 1 << 18

    /// The changes on the way take more memory than they may.
    struct IsTooLarge: Error {}

    let reader: TableReader
    let tables: StoreTables
    let state: StoreState
    /// The position that reads of the present see.
    let servedPosition: UInt64

    /// The position that a point stands for: always the end of a commit, or 0.
    func position(of point: Point) throws -> UInt64 {
        switch point {
        case .head: return servedPosition
        case .position(let position):
            guard position.rawValue <= state.log.head else {
                throw StoreError(
                    .unknownPosition,
                    "The log ends at position \(state.log.head), before \(position).",
                    advice: "Choose a position from the log."
                )
            }
            return try endOfCommit(atOrBefore: position.rawValue)
        case .snapshot(let name):
            guard let snapshot = try Snapshot.find(name, reader, tables[state.viewSet]) else {
                throw StoreError(
                    .unknownSnapshot,
                    "There is no snapshot \"\(name)\".",
                    advice: "List the snapshots to see their names."
                )
            }
            guard snapshot.position.rawValue <= state.log.head else {
                throw StoreError.damage("The snapshot \"\(name)\" is of a position that the log does not have.")
            }
            return snapshot.position.rawValue
        case .date(let date): return try position(at: date.microsecondsSince1970)
        }
    }

    /// The last position of the newest commit that is over at `position` (HIS-10).
    private func endOfCommit(atOrBefore position: UInt64) throws -> UInt64 {
        let log = LogReader(reader, table: tables.log, head: state.log.head)
        guard let commit = try log.commit(holding: position) else { return 0 }
        return commit.lastPosition == position ? position : commit.firstPosition - 1
    }

    /// The last position of the last commit whose time is not after the one that is asked for (HIS-11). Clocks are set,
    /// so times say nothing of the order in the log (HIS-03): it is looked for from the head backwards.
    private func position(at microseconds: Int64) throws -> UInt64 {
        var found: UInt64 = 0
        try LogReader(reader, table: tables.log, head: state.log.head).forEachBlockReversed(from: state.log.head) {
            guard $0.timeMicroseconds <= microseconds else { return true }
            found = $0.lastPosition
            return false
        }
        return found
    }

    /// Makes a workspace that shows the state at one position show that at another.
    ///
    /// - Parameters:
    ///   - byteCountMax: how much memory the changes may take.
    ///   - isWritten: whether they are written to pages in the same transaction, which count as well.
    /// - Throws: ``IsTooLarge`` where they take more.
    func travel(
        _ workspace: Workspace,
        from: UInt64,
        to: UInt64,
        byteCountMax: Int = .max,
        isWritten: Bool = false
    ) throws {
        func check(_ entryCount: Int) throws(IsTooLarge) {
            let byteCount = workspace.byteCount(withEntries: entryCount, isWritten: isWritten)
            if byteCount > byteCountMax { throw IsTooLarge() }
        }
        try forEachStep(from: from, to: to) { event, isUndone in
            // One event tells of all entries that went with their owner.
            if case .deleted = event.type, case .deleted(let image) = try Change(event) {
                try check(image.entries.count)
            }
            if isUndone { try workspace.undo(event) } else { try workspace.apply(event) }
            try check(0)
        }
    }

    /// How many events lie on the way from the state at one position to that at another. O(rollbacks).
    func distance(from: UInt64, to: UInt64) throws -> Int {
        from == to ? 0 : try Timeline(reader, tables[state.viewSet]).distance(from: from, to: to)
    }

    /// Goes through the events on the way from the state at one position to that at another.
    ///
    /// - Parameter body: gets one event, and whether the way leads from after it to before it.
    func forEachStep(from: UInt64, to: UInt64, _ body: (EventView, _ isUndone: Bool) throws -> Void) throws {
        if from == to { return }
        let log = LogReader(reader, table: tables.log, head: state.log.head)
        let path = try Timeline(reader, tables[state.viewSet]).path(from: from, to: to)
        for range in path.undo {
            try log.forEachEvent(in: range, reversed: true) { event, _ in
                try body(event, true)
                return true
            }
        }
        for range in path.apply {
            try log.forEachEvent(in: range) { event, _ in
                try body(event, false)
                return true
            }
        }
    }
}
