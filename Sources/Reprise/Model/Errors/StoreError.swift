/// What went wrong with a store: a code to switch over, one sentence on what happened and one on what to do (STO-34).
///
/// Programmer errors (a write inside a write, a property that the schema does not declare) are not errors of this type:
/// they stop the program with a sentence.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public let code: Code
    /// What happened.
    public let message: String
    /// What to do.
    public let advice: String
    /// Data for the codes that have some.
    public let cause: Cause?

    public init(_ code: Code, _ message: String, advice: String, cause: Cause? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
        self.cause = cause
    }

    public var description: String { "\(message) \(advice)" }
}

extension StoreError {
    public enum Code: Hashable, Sendable, CaseIterable {
        // The file
        case storeNotFound, storeExists, notAStore, newerFormat, truncated, corrupted, alreadyOpen
        case permissionDenied, diskFull, inputOutput, mapFull, tooManyReaders, closed, poisoned
        case readOnly, storeMoved, unsupportedLMDB
        // Other processes that have the store open
        case storeInUse, writerBusy, lockFileUnusable
        // The schema and names
        case schemaMismatch, newerSchema, schemaChanged, invalidSchema
        case unknownModel, unknownAttribute, unknownRelationship
        case unknownSnapshot, snapshotExists, unknownPosition
        // Values and queries
        case invalidIdentifier, invalidValue, valueTooLarge, invalidQuery
        // What the state forbids
        case entityExists, entityMissing, targetMissing, entryMissing, uniqueViolation, deleteDenied
        case revisionConflict
        // What would wait for itself
        case writeInCallback, writeStalled
        // The caller's wish
        case cancelled
    }

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
        /// The row that decides about the same partner because it comes first among those that are updated together.
        /// That is the row itself where two of its to-ones contradict each other. `attribute` is the to-one that was to
        /// be written (code `invalidValue`).
        case partnerDecided(attribute: String, by: EntityReference)
        /// The process that writes for longer than this one waits (code `writerBusy`); nil where the system does not
        /// tell its number, as that of a process in another container.
        case writer(processID: Int32?)
        /// Each difference between the schema that was given and the one in the log.
        case schemaMismatch([String])
    }
}
