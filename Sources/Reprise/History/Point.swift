internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A point in the history of a store.
public enum Point: Sendable, Hashable {
    /// Now.
    case head
    /// Right after the event at this position; within a commit, before that commit.
    case position(Position)
    /// The position of a snapshot.
    case snapshot(String)
    /// After the last commit whose time is not after this one. Last is meant by position: the time of a commit is what
    /// the clock said then, and a clock may have been set back since.
    case date(Date)
}

extension Store {
    /// The position that a point stands for: always the end of a commit, or 0.
    ///
    /// - Throws: `unknownPosition` for one after the head, `unknownSnapshot`.
    /// - Complexity: O(log n); for a date, it reads the log from the head back to the commit that it finds.
    public func resolve(_ point: Point) throws -> Position {
        do {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            return Position(try position(of: point, transaction.reader, state))
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    func position(of point: Point, _ reader: TableReader, _ state: StoreState) throws -> UInt64 {
        switch point {
        case .head: return servedPosition(state)
        case .position(let position):
            guard position.rawValue <= state.log.head else {
                throw StoreError(
                    .unknownPosition,
                    "The log ends at position \(state.log.head), before \(position).",
                    advice: "Choose a position from the log."
                )
            }
            return try endOfCommit(atOrBefore: position.rawValue, reader)
        case .snapshot(let name):
            guard let snapshot = try snapshot(named: name, reader, state) else {
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
        case .date(let date): return try position(at: date.microsecondsSince1970, reader, state)
        }
    }

    /// The last position of the newest commit that is over at `position` (HIS-10).
    private func endOfCommit(atOrBefore position: UInt64, _ reader: TableReader) throws -> UInt64 {
        let log = LogReader(reader, table: tables.log)
        guard let commit = try log.commit(holding: position) else { return 0 }
        return commit.lastPosition == position ? position : commit.firstPosition - 1
    }

    /// The last position of the last commit whose time is not after the one that is asked for (HIS-11). Clocks are set,
    /// so times say nothing of the order in the log (HIS-03): it is looked for from the head backwards.
    private func position(at microseconds: Int64, _ reader: TableReader, _ state: StoreState) throws
        -> UInt64
    {
        var found: UInt64 = 0
        try LogReader(reader, table: tables.log).forEachBlockReversed(from: state.log.head) {
            guard $0.timeMicroseconds <= microseconds else { return true }
            found = $0.lastPosition
            return false
        }
        return found
    }

    /// Makes a workspace that shows the state at one position show that at another.
    func travel(
        _ workspace: Workspace,
        from: UInt64,
        to: UInt64,
        _ reader: TableReader
    ) throws {
        if from == to { return }
        let log = LogReader(reader, table: tables.log)
        let path = try timeline(reader, workspace.tables).path(from: from, to: to)
        for range in path.undo {
            try log.forEachEvent(in: range, reversed: true) { event, _ in
                try workspace.undo(event)
                return true
            }
        }
        for range in path.apply {
            try log.forEachEvent(in: range) { event, _ in
                try workspace.apply(event)
                return true
            }
        }
    }

    /// The rollbacks that the log has had.
    func timeline(_ reader: TableReader, _ tables: ViewTables) throws -> Timeline {
        var rollbacks: [(at: UInt64, to: UInt64)] = []
        try unsafe LabelScan(reader, tables.labels).forEach(prefix: [UInt8(ascii: "r")]) {
            key,
            content in
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
        return Timeline(rollbacks: rollbacks)
    }
}

/// Walks the labels that begin alike, in key order, each checked against its checksum.
struct LabelScan {
    let reader: TableReader
    let table: Table

    init(_ reader: TableReader, _ table: Table) {
        self.reader = reader
        self.table = table
    }

    func forEach(prefix: [UInt8], _ body: (UnsafeRawBufferPointer, ByteReader) throws -> Void)
        throws
    {
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try reader.cursor(table)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                try unsafe body(cursor.key, try LabelValue.open(cursor.value, key: cursor.key))
                isThere = try cursor.next()
            }
        }
    }

    func value(of key: [UInt8]) throws -> ByteReader? {
        try unsafe key.withUnsafeBytes { key in
            try unsafe reader.get(table, key).map { try unsafe LabelValue.open($0, key: key) }
        }
    }
}
