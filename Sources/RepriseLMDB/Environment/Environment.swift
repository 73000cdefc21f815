import CLMDB
import Synchronization

/// An LMDB environment: one data file with named tables, one writer at a time, any number of
/// readers that see the last commit before they began.
///
/// Every commit is synchronized to the disk in full before it returns; no option weakens that. A
/// process has an environment open once. All functions may be called from any thread.
///
/// Sendable, unchecked, because LMDB's environment may be used by all threads, and what changes of
/// this object belongs to the one that writes.
@safe
package final class Environment: @unchecked Sendable {
    /// How an environment is opened. Sizes are bytes.
    package struct Options: Sendable {
        /// The address space to reserve. The file grows as it is filled, not to this size. When the
        /// system refuses so much, halves of it are tried, down to 1 GiB or what was asked if that
        /// is less.
        package var mapByteCount = 64 << 30
        /// The room in the map below which a write transaction grows it first; `nil` is a quarter
        /// of the map.
        package var headroomByteCount: Int?
        /// How many read transactions of all processes can be open at once.
        package var readerCountMax = 510
        /// How long an exchange of the map waits for open readers of this process.
        package var readerWait: Duration = .seconds(10)
        /// Whether writing is refused. Reading still writes the lock file where that is possible; where it is not, no
        /// other process may have the environment open.
        package var isReadOnly = false
        /// Whether the files are this process's alone: no other opens them, and they may lose their names while they
        /// are open. Neither turns nor places are looked at then.
        package var isPrivate = false
        /// Whether the environment is removed when it is closed. What it writes need not be on the disk then: no commit
        /// waits for that.
        package var isScratch = false
        /// Whether the path is that of a data file, which nobody changes any more.
        var isSealed = false
        /// How long a write transaction waits for that of another process.
        package var writerWait: Duration = .seconds(60)
        /// How long the data file may be, in bytes, for all its pages to be checked when it is opened. Those of a
        /// longer one are checked before the first write transaction.
        package var checkedAtOpeningByteCountMax = 0

        package init() {}
    }

    package let path: String
    package let options: Options
    let gate: TransactionGate
    /// LMDB's environment. Used only between the gate's enter and leave, or by the last owner.
    let pointer: OpaquePointer
    let pageByteCount: Int
    let identity: FileIdentity
    /// `nil` where the environment is read without locks, and when it is closed. Used only inside the gate.
    private(set) var lockFile: LockFile?
    private let tables: [String: Table]
    /// Whether the environment takes part in the locks of processes; one that is only read may not be able to.
    package let hasLocks: Bool
    /// Whether the last write transaction ran out of room. Only the writer uses it.
    var mapWasFull = false
    /// As ``isStructureKnown``.
    private let structureIsKnown: Atomic<Bool>
    /// What is wrong with the pages, so that not every write has to find out again. Only the writer uses it.
    var structureFailure: LMDBError?
    /// When a writer last looked for readers that died, and how many bytes were in use then. Only the writer uses it.
    var lastReaderCheck: (time: ContinuousClock.Instant, usedByteCount: Int)?
    /// Whether the writer's lock is kept between write transactions. Used only by the thread that is the gate's writer.
    var keepsWritersOut = false
    /// Whether a thread of this process has the lock for long work.
    let hasWorkLock = Guarded(false)
    /// When this process last made sure that it has LMDB's locks, in seconds of the system's clock.
    let lastLockRenewal = Atomic<Int64>(0)
    /// Which pages readers have checked; `nil` where they need not check any. Set when the environment is opened.
    var checkedPages: CheckedPages?
    /// Set before the first read.
    var tableNames: TableNames
    /// Where the map begins, 0 while that is not known.
    let mapAddress = Atomic<UInt>(0)

    init(
        path: String,
        options: Options,
        pointer: OpaquePointer,
        pageByteCount: Int,
        identity: FileIdentity,
        lockFile: LockFile?,
        tables: [String: Table],
        isStructureKnown: Bool
    ) {
        self.path = path
        self.options = options
        // Idle slots are few, so that other processes find free ones.
        gate = TransactionGate(idleReaderCountMax: min(8, options.readerCountMax / 16))
        unsafe self.pointer = pointer
        self.pageByteCount = pageByteCount
        self.identity = identity
        self.lockFile = lockFile
        hasLocks = lockFile != nil
        self.tables = tables
        structureIsKnown = Atomic(isStructureKnown)
        tableNames = TableNames(tables)
    }

    deinit { close() }

    /// The table of that name, which was named when the environment was opened; any other name
    /// traps.
    package func table(_ name: String) -> Table {
        guard let table = tables[name] else {
            preconditionFailure("The environment was opened without the table \(name).")
        }
        return table
    }

    /// Waits for every transaction to end and closes the environment; later transactions throw
    /// `.closed`.
    ///
    /// Does nothing the second time. Called with a transaction open on the same thread, it waits
    /// for ever (reader) or traps (writer).
    package func close() {
        guard gate.close() else { return }
        for slot in gate.takeIdleReaders() { slot.destroy() }
        // By itself the mark of use would stay as long as a child that is being started has the descriptor.
        if hasLocks, let descriptor = try? descriptor() { FileLock.release(descriptor) }
        EnvironmentRegistry.release([identity] + (lockFile.map { [$0.identity] } ?? [])) {
            unsafe mdb_env_close(pointer)
            // Closing its descriptor gives up all locks that the process has on the file.
            lockFile = nil
        }
    }

    /// Whether all pages were checked since the environment was opened, or were made by this process: readers that
    /// begin afterwards need not check any.
    var isStructureKnown: Bool {
        get { structureIsKnown.load(ordering: .acquiring) }
        set { structureIsKnown.store(newValue, ordering: .releasing) }
    }

    /// Whether a commit failed with an unknown outcome, or the map was lost. Every later transaction throws
    /// `.poisoned`; what is on the disk shows only when the environment is closed and opened again.
    package var isPoisoned: Bool { gate.isPoisoned }

    func noteFullMap() { mapWasFull = true }
}
