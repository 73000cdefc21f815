import Reprise

extension StoreError {
    /// What the command says and returns for an error of the store.
    var failure: CommandFailure {
        CommandFailure(code.outcome, message, advice: advice)
    }
}

extension CommandFailure {
    /// Runs what makes a store: a place where none can be made is an output that cannot be created, and no input.
    static func creating<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as StoreError
            where error.code == .permissionDenied || error.code == .storeNotFound
        {
            throw CommandFailure(.cannotCreate, error.message, advice: error.advice)
        }
    }
}

extension StoreError.Code {
    /// The exit code; every code is named, so that a new one is a decision.
    var outcome: Outcome {
        switch self {
        case .storeNotFound, .permissionDenied: .noInput
        case .storeExists, .snapshotExists: .cannotCreate
        case .notAStore, .notAChangeSet, .newerFormat, .truncated, .corrupted: .badData
        case .schemaMismatch, .newerSchema, .schemaChanged, .invalidSchema: .badData
        case .invalidIdentifier, .invalidValue, .valueTooLarge: .badData
        case .alreadyOpen, .mapFull, .tooManyReaders, .writeInCallback, .writeStalled: .inUse
        case .storeInUse, .writerBusy, .lockFileUnusable: .inUse
        case .readOnly: .cannotCreate
        case .storeMoved, .unsupportedLMDB: .inputOutput
        case .diskFull, .inputOutput, .closed, .poisoned: .inputOutput
        case .unknownModel, .unknownAttribute, .unknownRelationship, .invalidQuery: .usage
        case .unknownSnapshot, .unknownPosition, .notABranch: .no
        case .entityExists, .entityMissing, .targetMissing, .entryMissing: .no
        case .uniqueViolation, .deleteDenied, .revisionConflict: .no
        case .cancelled: .interrupted
        }
    }

    /// Whether the file itself is damaged, which to `verify` is an answer.
    var isDamage: Bool {
        switch self {
        case .truncated, .corrupted: true
        default: false
        }
    }
}
