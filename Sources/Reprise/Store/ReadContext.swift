internal import RepriseLMDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What a read of the present needs beside its LMDB transaction.
///
/// It belongs to one commit and to one read at a time, which is why it may be handed from thread to thread.
final class ReadContext: @unchecked Sendable {
    /// The number of the commit, by which all processes mean the same bytes.
    let transactionID: UInt64
    let state: StoreState
    let workspace: Workspace

    init(transactionID: UInt64, state: StoreState, workspace: Workspace) {
        self.transactionID = transactionID
        self.state = state
        self.workspace = workspace
    }
}

/// The contexts that no read uses at the moment, kept for the next reads of the same commit: most reads of a store are
/// short, and making a context costs more than looking up a row.
@safe
final class ReadContexts: @unchecked Sendable {
    private static let idleCountMax = 8

    // What a context holds passes from thread to thread here. The thread sanitizer knows this lock; that of
    // Synchronization it does not.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Guarded by the mutex.
    private var idle: [ReadContext] = []

    init() {
        unsafe mutex = .allocate(capacity: 1)
        let result = unsafe pthread_mutex_init(mutex, nil)
        precondition(result == 0, "Locks need memory.")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// A context of this commit, which belongs to the caller until it is given back. Those of others are dropped.
    func take(_ transactionID: UInt64) -> ReadContext? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while let context = idle.popLast() {
            if context.transactionID == transactionID { return context }
        }
        return nil
    }

    func giveBack(_ context: ReadContext) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if idle.count < Self.idleCountMax { idle.append(context) }
    }
}
