internal import RepriseLMDB
internal import RepriseLog

/// Fills empty tables in key order, in as many transactions as it takes to bound the memory of each.
///
/// Between its transactions other processes can write, unless they are kept out. One that did is noticed at the
/// beginning of the next transaction and ends the work with ``Interrupted``: it may have used the same tables.
final class StagedWriter {
    /// Another process has written meanwhile.
    struct Interrupted: Error {}

    /// How much is written in one transaction.
    static let stepByteCount = 16 << 20
    /// How much of the map a transaction may take: large values fill their pages by half.
    static let roomByteCount = 3 * stepByteCount

    private let environment: Environment
    private let stepByteCount: Int
    private var transaction: TableWriter?
    private var lastTransactionID: UInt64
    private var cursor: Cursor?
    private var cursorTable: Table?
    private var byteCount = 0
    /// Whether the transaction that runs has anything to commit: LMDB does not count one that has not.
    private var hasWritten = false

    /// Begins the first transaction.
    ///
    /// - Parameter stepByteCount: how much is written in one transaction, in bytes.
    init(_ environment: Environment, stepByteCount: Int = StagedWriter.stepByteCount) throws(LMDBError) {
        self.stepByteCount = stepByteCount
        self.environment = environment
        let first = try environment.beginWrite(room: Self.roomByteCount)
        lastTransactionID = first.transactionID
        transaction = consume first
    }

    /// The transaction that runs.
    var reader: TableReader {
        guard let reader = transaction?.reader else {
            preconditionFailure("The writer is finished.")
        }
        return reader
    }

    func empty(_ table: Table) throws(LMDBError) {
        hasWritten = true
        try transaction?.empty(table)
    }

    /// Removes what a commit that was not finished has left behind the head of the log.
    func removeBlocks(of log: Table, behind head: UInt64) throws(LogError) {
        if try transaction?.removeBlocks(of: log, behind: head) ?? 0 > 0 { hasWritten = true }
    }

    /// Appends an entry and gives out the room for its value, which must be written before the next call.
    func append(
        to table: Table,
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) throws -> UnsafeMutableRawBufferPointer {
        if byteCount > stepByteCount { try step() }
        if cursorTable != table || cursor == nil {
            cursor = try reader.cursor(table)
            cursorTable = table
        }
        byteCount += key.count + valueByteCount + 16
        hasWritten = true
        guard
            let room = try unsafe cursor?.reserve(
                key: key,
                byteCount: valueByteCount,
                append: true
            )
        else { preconditionFailure("The cursor was just opened.") }
        return unsafe room
    }

    /// Appends an entry.
    func append(
        to table: Table,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws {
        let room = try unsafe append(to: table, key: key, valueByteCount: value.count)
        unsafe room.copyMemory(from: value)
    }

    /// Appends the entries of a batch to the table that they belong to.
    ///
    /// The cursor is taken out of this object for as long as that takes: it is used for every entry, and reaching it
    /// in an object is checked each time.
    func append(_ batch: EntryBatch, to table: Table) throws {
        if byteCount > stepByteCount { try step() }
        if cursorTable != table || cursor == nil {
            cursor = try reader.cursor(table)
            cursorTable = table
        }
        guard var writing = cursor.take() else {
            preconditionFailure("The cursor was just opened.")
        }
        var offset = 0
        while let entry = batch.entry(at: offset) {
            try unsafe writing.put(key: entry.key, value: entry.value, append: true)
            offset = entry.end
        }
        byteCount += offset
        hasWritten = true
        cursor = consume writing
    }

    /// Ends the last transaction with what `body` adds to it.
    ///
    /// - Parameter room: how many bytes that may be. With these the transaction may be larger than others; it is a
    ///   new one then.
    func finish(room: Int = 0, _ body: (borrowing TableWriter) throws -> Void) throws {
        if byteCount + room > 3 * stepByteCount { try step(room: max(room, Self.roomByteCount)) }
        cursor = nil
        guard let last = transaction.take() else {
            preconditionFailure("The writer is finished.")
        }
        try body(last)
        try last.commit()
    }

    /// Commits what was written and begins the next transaction.
    private func step(room: Int = StagedWriter.roomByteCount) throws {
        cursor = nil
        cursorTable = nil
        byteCount = 0
        guard let full = transaction.take() else {
            preconditionFailure("The writer is finished.")
        }
        let expected = lastTransactionID + (hasWritten ? 1 : 0)
        if hasWritten { try full.commit() } else { full.abort() }
        hasWritten = false
        let next = try environment.beginWrite(room: room)
        guard next.transactionID == expected else { throw Interrupted() }
        lastTransactionID = next.transactionID
        transaction = consume next
    }
}
