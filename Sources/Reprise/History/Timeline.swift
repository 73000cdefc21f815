internal import RepriseLMDB
internal import RepriseLog

/// The rollbacks of a log, and which events are alive as seen from a position (HIS-21, HIS-22).
///
/// A rollback at R to P makes the events in (P, R) dead for everything after R; they stay alive for reads of positions
/// among them. Like branches in a version control system, of which only the newest goes on.
struct Timeline: Sendable {
    /// Each rollback: its own position and the position it went back to, ascending by its own.
    let rollbacks: [(at: UInt64, to: UInt64)]

    /// The ranges of positions whose fold is the state at `position`, ascending.
    func liveRanges(upTo position: UInt64) -> [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        var end = position
        for rollback in rollbacks.reversed() where rollback.at <= end {
            if rollback.at < end { ranges.append((rollback.at + 1)...end) }
            end = rollback.to
        }
        if end > 0 { ranges.append(1...end) }
        return ranges.reversed()
    }

    /// How many events lie on the way from the state at one position to that at another. O(rollbacks).
    func distance(from: UInt64, to: UInt64) -> Int {
        let path = path(from: from, to: to)
        let count = (path.undo + path.apply).reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound + 1) }
        return Int(clamping: count)
    }

    /// The positions of the rollbacks that have led to the state at `position`: their states were passed through.
    func liveRollbacks(upTo position: UInt64) -> Set<UInt64> {
        var found: Set<UInt64> = []
        var end = position
        for rollback in rollbacks.reversed() where rollback.at <= end {
            found.insert(rollback.at)
            end = rollback.to
        }
        return found
    }

    /// The way from the state at one position to that at another: ranges to undo, each from its end to its start, in
    /// this order, then ranges to apply. O(rollbacks).
    func path(from: UInt64, to: UInt64) -> (
        undo: [ClosedRange<UInt64>], apply: [ClosedRange<UInt64>]
    ) {
        var here = liveRanges(upTo: from)
        var there = liveRanges(upTo: to)
        // Both begin alike; what is common is left alone.
        var common = 0
        while common < here.count, common < there.count, here[common] == there[common] {
            common += 1
        }
        here.removeFirst(common)
        there.removeFirst(common)
        if let first = here.first, let other = there.first, first.lowerBound == other.lowerBound {
            let shared = min(first.upperBound, other.upperBound)
            here[0...0] = first.upperBound > shared ? [(shared + 1)...first.upperBound] : []
            there[0...0] = other.upperBound > shared ? [(shared + 1)...other.upperBound] : []
        }
        return (here.reversed(), there)
    }
}

extension Timeline {
    /// The rollbacks that the log has had.
    init(_ reader: TableReader, _ tables: ViewTables) throws {
        try self.init(LabelScan(reader, tables.labels))
    }

    /// The rollbacks that the log of a workspace has had.
    init(of workspace: Workspace) throws {
        try self.init(workspace.labelScan)
    }

    private init(_ labels: LabelScan) throws {
        var rollbacks: [(at: UInt64, to: UInt64)] = []
        try unsafe labels.forEach(prefix: [UInt8(ascii: "r")]) { key, content in
            guard key.count == 9 else {
                throw StoreError.damage("The label of a rollback has a wrong key.")
            }
            var content = content
            let at = unsafe UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let to = try content.u64()
            guard to < at else {
                throw StoreError.damage("The label of a rollback leads forward.")
            }
            rollbacks.append((at, to))
        }
        self.init(rollbacks: rollbacks)
    }
}
