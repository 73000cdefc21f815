import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a transaction and its cursors share: whether it still runs, and how it went.
///
/// It keeps the environment alive. It belongs to one transaction and is not used by two threads at
/// once.
@safe
final class TransactionState {
    /// A nested transaction is a part of the write transaction that it was begun in.
    enum Kind { case read, write, nested }

    let environment: Environment
    let kind: Kind
    /// The first failed write, or the first read that met damage. A transaction that holds one can
    /// only be given up.
    var failure: LMDBError? {
        didSet { isSound = false }
    }
    /// Whether it runs and has no ``failure``: one look for what is asked before each move of a cursor.
    private(set) var isSound = true
    /// Whether the map should have grown before this transaction, but readers stayed open.
    let growthWasRefused: Bool
    /// LMDB's write lock belongs to a thread, so a write transaction ends where it began.
    private let thread = ThreadIdentity.current
    private(set) var pointer: OpaquePointer?
    /// What a read transaction sees; `nil` for the others, whose changes are not in the file. Valid while it runs.
    let pages: UnsafeMutablePointer<CommitPages>?

    /// A read transaction, in a slot that has been begun.
    init(_ slot: ReaderSlot, environment: Environment) {
        unsafe pointer = slot.transaction
        unsafe pages = slot.pages
        kind = .read
        self.environment = environment
        growthWasRefused = false
    }

    init(
        _ pointer: OpaquePointer,
        kind: Kind,
        environment: Environment,
        growthWasRefused: Bool = false
    ) {
        unsafe self.pointer = pointer
        unsafe pages = nil
        self.kind = kind
        self.environment = environment
        self.growthWasRefused = growthWasRefused
    }

    var isRunning: Bool { unsafe pointer != nil }

    /// The failure of a transaction that is not ``isSound``. Traps when it is over.
    @inline(never)
    func rememberedFailure() -> LMDBError {
        precondition(isRunning, "The cursor's transaction is over.")
        guard let failure else { preconditionFailure("Nothing has failed.") }
        return failure
    }

    /// Takes LMDB's transaction out, so that nothing uses it any more; `nil` if it is over already.
    private func end() -> OpaquePointer? {
        guard let running = unsafe pointer else { return nil }
        precondition(
            kind != .write || thread == .current,
            "A write transaction ends on the thread that began it."
        )
        unsafe pointer = nil
        isSound = false
        return unsafe running
    }

    /// Ends the transaction without a trace. Does nothing when it is over.
    func abort() {
        guard let running = unsafe end() else { return }
        guard let pages = unsafe pages else {
            unsafe mdb_txn_abort(running)
            leaveGate()
            return
        }
        let slot = unsafe ReaderSlot(transaction: running, pages: pages)
        // LMDB finds a slot in the table of readers under a lock of all processes; a transaction
        // that is only reset keeps its slot, holds no pages and is renewed without that lock.
        if failure == nil {
            unsafe mdb_txn_reset(running)
            if environment.gate.leaveRead(keeping: slot) { return }
        }
        slot.destroy()
        leaveGate()
    }

    /// Makes the transaction's writes durable, or throws and leaves none.
    func commit() throws(LMDBError) {
        if let failure {
            abort()
            throw failure
        }
        // A nested one writes nothing to the disk; the one around it goes on without it.
        let isOnDisk = kind == .write
        if isOnDisk {
            do throws(LMDBError) {
                try environment.checkInPlace()
            } catch {
                abort()
                throw error
            }
        }
        guard let running = unsafe end() else {
            preconditionFailure("A transaction commits once.")
        }
        let transactionID = unsafe commitNumber(of: running)
        let result = unsafe mdb_txn_commit(running)
        if result != MDB_SUCCESS, isOnDisk {
            environment.noteFailedCommit(result, transactionID)
        }
        defer { leaveGate() }
        if result != MDB_SUCCESS {
            throw LMDBError(
                code: code(of: result),
                rawCode: result,
                operation: "commit",
                path: environment.path
            )
        }
        if isOnDisk {
            do throws(LMDBError) {
                try environment.checkInPlace()
            } catch {
                // The commit is in files that other processes may not see (STO-63).
                environment.gate.poison()
                throw error
            }
        }
    }

    /// The error for a failed write, remembered so that the transaction cannot commit half of its
    /// work.
    @inline(never)
    func writeFailure(_ result: Int32, _ operation: StaticString) -> LMDBError {
        if let failure { return failure }
        var error = error(for: result, operation)
        error.code = code(of: result)
        // Keys out of order are refused before anything is changed.
        if result != MDB_KEYEXIST { failure = error }
        if result == MDB_MAP_FULL { environment.noteFullMap() }
        return error
    }

    /// The error for a failed read. Damage is remembered: LMDB refuses everything that comes later
    /// in such a transaction, and what made it do so is the answer to that too.
    @inline(never)
    func readFailure(_ result: Int32, _ operation: StaticString) -> LMDBError {
        if let failure { return failure }
        let error = error(for: result, operation)
        if error.code == .corrupted { failure = error }
        return error
    }

    /// The error for a page that a read met, remembered as any damage is.
    @inline(never)
    func readFailure(_ fault: PageFault) -> LMDBError {
        if let failure { return failure }
        guard let pages = unsafe pages else {
            preconditionFailure("Only read transactions look at pages.")
        }
        let error = unsafe pages.pointee.error(for: fault, path: environment.path)
        failure = error
        unsafe pages.pointee.giveUp(fault)
        return error
    }

    private func error(for result: Int32, _ operation: StaticString) -> LMDBError {
        // Some damage makes LMDB refuse the transaction without having said so before.
        if result == MDB_BAD_TXN && isRunning {
            return LMDBError(
                code: .corrupted,
                rawCode: result,
                operation: operation.description,
                path: environment.path
            )
        }
        var error = RepriseLMDB.failure(result, operation)
        error.path = environment.path
        return error
    }

    private func code(of result: Int32) -> LMDBError.Code {
        if result == MDB_MAP_FULL && growthWasRefused { return .mapFullWhileReading }
        // LMDB calls a write that the disk took only a part of an I/O error; on a full disk it is
        // that.
        if result == EIO && environment.hasFullDisk { return .diskFull }
        return .init(returnCode: result)
    }

    private func leaveGate() {
        switch kind {
        case .read: environment.gate.leaveRead()
        case .write: environment.leaveWrite()
        case .nested: break
        }
    }
}
