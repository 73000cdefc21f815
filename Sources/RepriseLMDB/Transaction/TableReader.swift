import CLMDB

/// What can be read, from either kind of transaction.
///
/// A small value to hand around. It is valid only while its transaction runs; using it later is a
/// programming error that nothing detects.
@safe
package struct TableReader {
    /// LMDB's transaction.
    let pointer: OpaquePointer
    /// What a read transaction sees, which this reads itself; `nil` in a write transaction, where LMDB does.
    private let pages: UnsafeMutablePointer<CommitPages>?
    /// Not counted, so that copies of a reader are free: the transaction keeps it alive.
    private let unmanagedState: Unmanaged<TransactionState>

    init(_ state: TransactionState) {
        guard let pointer = unsafe state.pointer else {
            preconditionFailure("A reader belongs to a running transaction.")
        }
        unsafe self.pointer = pointer
        unsafe self.unmanagedState = .passUnretained(state)
        unsafe self.pages = unsafe state.pages
    }

    /// The value of `key`, or `nil`. No allocation, O(log n).
    ///
    /// The bytes lie in the map (or in the write transaction's own pages): they are valid until the
    /// transaction ends and, in a write transaction, until its next write. An empty key is never
    /// there.
    package func get(
        _ table: Table,
        _ key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        if unsafe key.isEmpty { return nil }
        if let pages = unsafe pages {
            do throws(PageFault) {
                return try unsafe pages.pointee.get(table, key)
            } catch {
                throw readFailure(error)
            }
        }
        var keyValue = unsafe MDB_val(key)
        var value = unsafe MDB_val()
        let result = unsafe mdb_get(pointer, table.handle, &keyValue, &value)
        if result == MDB_NOTFOUND { return nil }
        if result != MDB_SUCCESS { throw readFailure(result, "get") }
        return unsafe UnsafeRawBufferPointer(value)
    }

    /// A cursor over the table, positioned nowhere. One allocation in a
    /// write transaction, and in a read transaction for as many cursors as are used at once.
    package func cursor(_ table: Table) throws(LMDBError) -> Cursor {
        let state = unsafe unmanagedState.takeUnretainedValue()
        return try Cursor(table, state: state)
    }

    /// How many entries the table has. O(1).
    package func entryCount(_ table: Table) throws(LMDBError) -> Int {
        if let record = try record(table) { return Int(record.entryCount) }
        var statistics = MDB_stat()
        let result = unsafe mdb_stat(pointer, table.handle, &statistics)
        if result != MDB_SUCCESS { throw readFailure(result, "count entries") }
        return statistics.ms_entries
    }

    /// How many bytes the table's pages take. O(1).
    package func byteCount(_ table: Table) throws(LMDBError) -> Int {
        let environment = unsafe unmanagedState.takeUnretainedValue().environment
        if let record = try record(table) {
            let pageCount =
                record.branchPageCount + record.leafPageCount + record.overflowPageCount
            return Int(pageCount) * environment.pageByteCount
        }
        var statistics = MDB_stat()
        let result = unsafe mdb_stat(pointer, table.handle, &statistics)
        if result != MDB_SUCCESS { throw readFailure(result, "measure a table") }
        let pageCount =
            statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
        return pageCount * Int(statistics.ms_psize)
    }

    /// The table's record in a read transaction, `nil` in a write transaction.
    private func record(_ table: Table) throws(LMDBError) -> TreeRecord? {
        guard let pages = unsafe pages else { return nil }
        do throws(PageFault) {
            return try unsafe pages.pointee.record(of: table)
        } catch {
            throw readFailure(error)
        }
    }

    private func readFailure(_ fault: PageFault) -> LMDBError {
        unsafe unmanagedState.takeUnretainedValue().readFailure(fault)
    }

    private func readFailure(_ result: Int32, _ operation: StaticString) -> LMDBError {
        unsafe unmanagedState.takeUnretainedValue().readFailure(result, operation)
    }
}

extension MDB_val {
    /// LMDB reads keys and values through pointers that it does not declare constant, but does not
    /// write to them.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(
            mv_size: bytes.count,
            mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        )
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    init(_ value: MDB_val) {
        unsafe self.init(start: value.mv_data, count: value.mv_size)
    }
}
