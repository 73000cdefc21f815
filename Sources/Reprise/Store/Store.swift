public import Logging
internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event-sourced store in one directory: a log of everything that ever changed, and views folded from it.
///
/// ```swift
/// let store = try Store.open(at: "Notes.reprise", schema: Schema(Note.self, Folder.self))
/// try store.write { transaction in
///     try transaction.insert(Folder(id: "f1", title: "Blue"))
/// }
/// let folder = try store.read { try $0.fetch(Folder.self, id: "f1") }
/// ```
///
/// Reads run on the caller's thread, any number at a time, and never wait for writes. Writes run one after the other,
/// synchronous ones on the caller's thread and asynchronous ones on the store's own; when `write` returns, its commit
/// is on the disk. A store is opened once per process; several processes may have it open at the same time. Neither
/// ``close()`` nor a write belongs inside the closure of a read: a map that has to grow waits for open reads.
public final class Store: Sendable {
    /// How a store is opened.
    public struct Configuration: Sendable {
        /// Who is named as the actor of commits that do not say otherwise. At most 1024 bytes.
        public var actor: String
        /// How much address space is reserved for the file, in bytes; nil is 64 GiB. It is no limit: a store that
        /// outgrows it reserves more.
        public var mapByteCount: Int?
        /// How long the file of a store may be, in bytes, for all its pages to be checked when it is opened. Those of
        /// a longer one are checked before the first write, so that nothing is ever written over damage; until then
        /// each page is checked when it is first read. `Int.max` checks every store at once.
        ///
        /// The check reads all pages but those of large values: about ten milliseconds for the standard of 16 MiB
        /// where the file is in memory.
        public var checkedAtOpeningByteCountMax: Int
        /// Whether the store is opened for reading only: nothing of it is changed, and it need not be writable. Every
        /// write throws `readOnly`.
        ///
        /// Where the lock file can be written, other processes may write meanwhile, and reads see their commits. Where
        /// it cannot (a read-only mount, the file of another user), no other process may have the store open
        /// (`storeInUse`). What an interrupted bulk load has left out of the views is added in memory, about as much of
        /// it as those rows take.
        public var readOnly: Bool
        /// How long a write waits for a write of another process before it throws `writerBusy`.
        public var writerWait: Duration
        /// As ``Environment/Options/isPrivate``.
        var isPrivate = false
        /// How many events a rollback may go through in memory. Over a longer way the state is built from the log.
        package var travelEventCountMax = TimeTravel.eventCountMax
        /// As many for a read of the past.
        package var readEventCountMax = TimeTravel.readEventCountMax
        /// Over how many events reads of the past are so short that a state is not built for them.
        package var shortReadEventCount = Checkpoints.shortEventCount
        /// How much memory the changes on such a way may take, in bytes.
        package var travelByteCountMax = Workspace.flushByteCount
        /// How much the state may take that the last read of the past has left in memory, in bytes.
        package var idlePastByteCountMax = TravelledState.byteCountMax
        /// How much memory the sorts may take that build a state of the past, in bytes.
        package var buildingByteCount = ViewRebuild.memoryByteCount
        /// How many rows functions of a changed schema have to convert for all views to be written anew.
        package var convertedRowCountMin = 65_536
        /// How many bytes one transaction writes of views that are written anew, by a conversion or a verification.
        package var viewStepByteCount = StagedWriter.stepByteCount
        /// From how many changes on a merge is written in several transactions.
        package var stepwiseChangeCountMin = 131_072
        /// How much of the plan of a merge is in memory, in bytes.
        package var planByteCount = ChangePlan.memoryByteCount
        /// How many events one transaction adds to views that are behind the log.
        package var catchUpEventCountMax = Store.stepEventCount
        /// The folders in the first of which states of the past are built that can be written; nil is beside the store,
        /// or else among the temporary files of the system.
        package var checkpointFolders: [String]?
        /// Where warnings go; nil is nowhere.
        public var logger: Logger?
        /// The clock that gives commits their time.
        public var now: @Sendable () -> Date
        /// Called now and then while opening changes the schema of a store in a way that has to look at its rows, on
        /// the thread that opens it. Returning false cancels: opening throws `cancelled`, and the store is as it was.
        public var schemaProgress: (@Sendable (SchemaPlan.Progress) -> Bool)?
        /// Called for a row that lists leave out because an enum of the program does not have a raw value in it, once
        /// for each row and attribute as long as the store is open, and for 10,000 of them at most. The error has the
        /// cause `unknownRawValue`. It comes in the middle of a read, on the thread that reads, and must not use the
        /// store. The ``logger`` gets the same as a warning.
        public var unreadableRow: (@Sendable (StoreError) -> Void)?

        /// Creates a configuration; each part that is left out is as it is for most programs.
        ///
        /// - Parameters:
        ///   - actor: the actor of commits that do not say otherwise, at most 1024 bytes.
        ///   - mapByteCount: address space reserved for the file, in bytes; nil is 64 GiB.
        ///   - checkedAtOpeningByteCountMax: how long a file may be, in bytes, to be checked when it is opened.
        ///   - readOnly: whether the store is opened for reading only.
        ///   - writerWait: how long a write waits for one of another process.
        ///   - logger: where warnings go; nil is nowhere.
        ///   - now: the clock that gives commits their time.
        ///   - schemaProgress: called while opening changes the schema; returning false cancels.
        ///   - unreadableRow: called for a row that lists leave out; see ``unreadableRow``.
        public init(
            actor: String = "",
            mapByteCount: Int? = nil,
            checkedAtOpeningByteCountMax: Int = 16 << 20,
            readOnly: Bool = false,
            writerWait: Duration = .seconds(60),
            logger: Logger? = nil,
            now: @escaping @Sendable () -> Date = { Date() },
            schemaProgress: (@Sendable (SchemaPlan.Progress) -> Bool)? = nil,
            unreadableRow: (@Sendable (StoreError) -> Void)? = nil
        ) {
            self.actor = actor
            self.mapByteCount = mapByteCount
            self.checkedAtOpeningByteCountMax = checkedAtOpeningByteCountMax
            self.readOnly = readOnly
            self.writerWait = writerWait
            self.logger = logger
            self.now = now
            self.schemaProgress = schemaProgress
            self.unreadableRow = unreadableRow
        }

        /// For a store that is only read.
        public static var readOnly: Configuration { Configuration(readOnly: true) }

        var environmentOptions: Environment.Options {
            var options = Environment.Options()
            options.isReadOnly = readOnly
            options.isPrivate = isPrivate
            options.writerWait = writerWait
            if let mapByteCount { options.mapByteCount = mapByteCount }
            options.checkedAtOpeningByteCountMax = checkedAtOpeningByteCountMax
            return options
        }
    }

    /// Where the store is, from the root of the file system.
    public let path: String
    let configuration: Configuration
    let environment: Environment
    let tables: StoreTables
    let writer = WriterThread()
    let bodyThread = BodyThread()
    let readContexts = ReadContexts()
    let shared: StoreShared
    let live: LiveDispatcher
    /// States of the past from which reads begin.
    let pastStates = Checkpoints()
    /// The one that the last read went to in memory.
    let travelledState: TravelledState
    /// Where states of the past are kept as files.
    let checkpointFolder: CheckpointFolder
    /// The files there that cannot be used.
    let unusableFiles = Guarded<UnusableFiles>(UnusableFiles())
    /// Up to where the views of a store that is only read catch up in memory; 0 where they need not (STO-69).
    let caughtUpPosition = Guarded<UInt64>(0)
    /// The directory of a temporary store, which goes with it.
    let temporaryPlace = Guarded<Leftover?>(nil)
    private let currentSchema: Guarded<CompiledSchema?>
    /// What the program declares; nil where the store was opened with the schema in its log.
    let adoptedSchema = Guarded<SchemaDescription?>(nil)
    /// The models of the program; nil where the store was opened with the schema in its log.
    let declaration = Guarded<Schema?>(nil)
    /// How often a state of the past was built from the log, by rollbacks and by reads.
    let builtStateCounter = Guarded(0)
    /// How many merges were written in several transactions.
    let stepwiseCommitCounter = Guarded(0)
    /// The functions of the program that made attributes of older ones.
    let conversions = Guarded<[PlannedConversion]>([])

    init(environment: Environment, configuration: Configuration) {
        self.environment = environment
        path = environment.path
        checkpointFolder = CheckpointFolder(beside: environment.path)
        self.configuration = configuration
        travelledState = TravelledState(byteCountMax: configuration.idlePastByteCountMax)
        tables = StoreTables(environment)
        let leftOut = UnreadableRows { error in
            configuration.logger?.warning("\(error.message) Lists leave the row out.")
            configuration.unreadableRow?(error)
        }
        shared = StoreShared(tables, leftOut)
        live = LiveDispatcher(environment, tables)
        currentSchema = Guarded(nil)
    }

    deinit {
        live.close()
        writer.stop()
        environment.close()
        pastStates.removeAll()
        travelledState.forget()
        removeTemporaryPlace()
    }

    /// Ends the work that was begun, waits for reads, and lets go of the files. Everything later throws `closed`. A
    /// temporary store is removed.
    ///
    /// Call it behind the closures of reads and writes, not inside: in a write it stops the program, and in a read it
    /// waits for that read for ever.
    public func close() {
        if writer.isCallersTurn {
            fatalError("The store was closed inside a write of the same store. Close it after the closure.")
        }
        live.close()
        writer.stop()
        environment.close()
        pastStates.removeAll()
        travelledState.forget()
        removeTemporaryPlace()
    }

    /// Called after each commit: observers look again, and what was kept of the one before is of no use.
    func tellOfCommit() {
        travelledState.forget()
        live.ring()
    }

    private func removeTemporaryPlace() {
        let place = temporaryPlace.withLock { place in
            defer { place = nil }
            return place
        }
        place?.remove()
    }

    /// How often a state of the past was built from the log, because the way there was too long for the memory.
    package var builtStateCount: Int { builtStateCounter.withLock { $0 } }

    /// How many merges this store has written in several transactions since it was opened (HIS-113).
    package var stepwiseCommitCount: Int { stepwiseCommitCounter.withLock { $0 } }

    /// How many states of the past were opened from files that have kept them.
    package var openedStateCount: Int { pastStates.openedCount }

    /// The schema in force in a transaction. It is read from the log once and kept until another is declared.
    func compiledSchema(_ reader: TableReader, _ state: StoreState) throws -> CompiledSchema {
        if let schema = currentSchema.withLock({ $0 }), schema.position == state.schemaPosition {
            return schema
        }
        let schema = try CompiledSchema.inForce(in: state, reader, tables)
        try checkDeclared(against: schema)
        if state.schemaPosition > 0 { currentSchema.withLock { $0 = schema } }
        return schema
    }

    /// Runs something that may meet errors of the layers below.
    func wrapped<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw StoreError.wrapping(error)
        }
    }
}
