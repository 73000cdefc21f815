/// What went wrong with a store: a code to switch over, one sentence on what happened and one on what to do (STO-34).
///
/// Programmer errors (a write inside a write, a property that the schema does not declare) are not errors of this type:
/// they stop the program with a sentence.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, to switch over.
    public let code: Code
    /// What happened.
    public let message: String
    /// What to do.
    public let advice: String
    /// Data for the codes that have some.
    public let cause: Cause?

    /// Creates an error, as for a test or a closure that refuses a write.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: one sentence on what happened.
    ///   - advice: one sentence on what to do.
    ///   - cause: data, where there is some.
    public init(_ code: Code, _ message: String, advice: String, cause: Cause? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    /// What happened and what to do.
    public var description: String { "\(message) \(advice)" }
}

extension StoreError {
    /// What went wrong, to switch over. Each case says when it is thrown and what helps.
    public enum Code: Hashable, Sendable, CaseIterable {
        // MARK: The file

        /// There is no store at the path, or no directory that could hold it. Check the path.
        case storeNotFound
        /// Something is where a new store or a copy shall be made. Choose another path.
        case storeExists
        /// What is at the path is no store of Reprise. It was not touched. Check the path.
        case notAStore
        /// A newer version of Reprise wrote the file. Open it with that version.
        case newerFormat
        /// The end of the file is missing. It was not touched. Restore it from a backup.
        case truncated
        /// Bytes of the file differ from those that were written. Run `verify`. A replay rebuilds damaged views; for a
        /// damaged log restore a backup.
        case corrupted
        /// This process has the store open already. Share that ``Store``, or close it first.
        case alreadyOpen
        /// The system forbids to open or write the files. Check their permissions.
        case permissionDenied
        /// The disk or a limit on the file's size leaves no room. Nothing was lost: make room and write again.
        case diskFull
        /// The disk or the system reported an error. Remove the cause, close the store and open it again.
        case inputOutput
        /// The store cannot grow while long reads run, or one write is too large. End the reads, or split the write.
        case mapFull
        /// Too many reads run at the same time. Make them shorter, or fewer.
        case tooManyReaders
        /// The store was closed. Open it again.
        case closed
        /// An earlier write failed, and its outcome on the disk is unknown. Close the store and open it again.
        case poisoned
        /// The store was opened for reading only. Open it without `readOnly` to write.
        case readOnly
        /// The files were moved or replaced while the store was open. Close it and open it where it is now.
        case storeMoved
        /// The program is linked with an LMDB of another format. No file was touched. Build it with LMDB 0.9.
        case unsupportedLMDB

        // MARK: Other processes that have the store open

        /// Another program uses the store in a way that excludes this one. End it, or work on a copy.
        case storeInUse
        /// Another process writes for longer than `Configuration.writerWait`. Nothing was lost: write again.
        case writerBusy
        /// The lock file is damaged and in use. End all programs that have the store open, and open it again.
        case lockFileUnusable

        // MARK: The schema and names

        /// The declared schema does not lead on from that of the store. The cause lists each difference.
        case schemaMismatch
        /// A newer version of the app changed the schema, so that this one cannot work with it. Update the app.
        case newerSchema
        /// Another process changed the schema while the store was open. Open it with the newer version.
        case schemaChanged
        /// A declaration contradicts itself. Correct it as the message says.
        case invalidSchema
        /// The store has no model of this name. The advice lists those that it has.
        case unknownModel
        /// The model has no attribute of this name. The advice lists those that it has.
        case unknownAttribute
        /// The model has no to-many relationship of this name, or it cannot be changed from this side.
        case unknownRelationship
        /// There is no snapshot of this name. `snapshots()` lists them.
        case unknownSnapshot
        /// There is a snapshot of this name already. Choose another name, or delete that one.
        case snapshotExists
        /// The log has no such position, or its state cannot be read. Choose one from the log.
        case unknownPosition

        /// Neither of two stores is a branch of the other, or changes are of a store that shares no past with this one.
        /// Branches meet in their parent.
        case notABranch
        /// The file that shall be read has no changes. Choose one that ``ChangeSet/write(to:)`` has made.
        case notAChangeSet

        // MARK: Values and queries

        /// An identifier is empty, too long or was changed, or a name cannot be that of a snapshot. Choose another.
        case invalidIdentifier
        /// A value cannot be stored in its attribute, or a stored value is none of the Swift type. Correct the value.
        case invalidValue
        /// A row, a list or a text is larger than the store takes. Store less in it.
        case valueTooLarge
        /// A query asks for something that its attributes do not have. No row was read. Correct the query.
        case invalidQuery

        // MARK: What the state forbids

        /// A row with this identifier is there already. Update it, or insert with another identifier.
        case entityExists
        /// There is no row with this identifier. Check it, or insert the row first.
        case entityMissing
        /// A relationship would lead to a row that does not exist. Insert that row first.
        case targetMissing
        /// The list does not have this entry any more. Read the list again.
        case entryMissing
        /// Another row has these values, which may occur once. The cause names the attributes and that row.
        case uniqueViolation
        /// A relationship with the rule `deny` forbids the deletion. The cause lists all that do.
        case deleteDenied
        /// The row, or the log, has changed since it was read. Read again and decide anew.
        case revisionConflict

        // MARK: What would wait for itself

        /// A write was started where an unfinished write waits for the caller. Write when that one is done.
        case writeInCallback
        /// The body of a write did nothing for five seconds while others waited. Nothing of it remains: write again.
        case writeStalled

        // MARK: The caller's wish

        /// The task was cancelled. The store is as it was.
        case cancelled
    }

    /// Data for the codes that have some.
    public enum Cause: Hashable, Sendable {
        /// The relationships with the rule `deny` that forbid a deletion.
        case deleteDenied(by: [DeletionPlan.Denial])
        /// The revision that the write expected, and the one that is there (nil: the entity does not exist).
        case revisionConflict(expected: ExpectedRevision, actual: Revision?)
        /// The head of the log that a rollback expected, and the one that is there (code `revisionConflict`).
        case headMoved(expected: Position, actual: Position)
        /// The attributes whose values must be unique, by their stored names, and the entity that already has these
        /// values.
        case uniqueViolation(attributes: [String], existing: EntityReference)
        /// The entity that would lose its partner in a one-to-one, and has to have one. That can be the one that was to
        /// be written, where it is its own partner. `attribute` is the to-one that was to be written (code
        /// `invalidValue`).
        case partnerNeeded(attribute: String, existing: EntityReference)
        /// The process that writes for longer than this one waits (code `writerBusy`); nil where the system does not
        /// tell its number, as that of a process in another container.
        case writer(processID: Int32?)
        /// The attribute of a row whose raw value the enum in the program does not have, and that value; nil where it
        /// is inside a list (code `invalidValue`).
        case unknownRawValue(attribute: String, value: Value?, of: EntityReference)
        /// The attribute of a row whose value its Swift type does not have, and that value: a number that is too large,
        /// a text that is no URL, JSON that does not decode (code `invalidValue`).
        case unreadableValue(attribute: String, value: Value?, of: EntityReference)
        /// Each difference between the schema that was given and the one in the log.
        case schemaMismatch([String])
    }
}

extension StoreError {
    /// Whether it is of one row, which lists leave out (VAL-30): its value is none of the Swift type.
    var isOfRow: Bool {
        switch cause {
        case .unknownRawValue, .unreadableValue: true
        default: false
        }
    }
}
