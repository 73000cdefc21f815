internal import RepriseLMDB
internal import RepriseLog

extension StoreError {
    /// Bytes that were fine when they were written and are not now (STO-33).
    static func damage(_ message: String) -> StoreError {
        StoreError(
            .corrupted,
            message,
            advice:
                "Run verify, then replay to rebuild the views from the log, or restore a backup."
        )
    }

    static func damagedRow(key: UnsafeRawBufferPointer) -> StoreError {
        let id = unsafe String(decoding: key.dropFirst(2), as: UTF8.self)
        return .damage("The row with id \"\(id)\" does not match its checksum.")
    }

    static func entityMissing(_ reference: EntityReference) -> StoreError {
        StoreError(
            .entityMissing,
            "There is no \(reference).",
            advice: "Check the identifier, or insert it first."
        )
    }

    static func entityExists(_ reference: EntityReference) -> StoreError {
        StoreError(
            .entityExists,
            "There already is a \(reference).",
            advice: "Update it, or choose another identifier."
        )
    }

    static func targetMissing(_ reference: EntityReference, from: EntityReference) -> StoreError {
        StoreError(
            .targetMissing,
            "\(from) points to \(reference), which does not exist.",
            advice: "Insert the target first; a store keeps no dangling references."
        )
    }

    static func entryMissing(_ id: EntryID, in owner: EntityReference) -> StoreError {
        StoreError(
            .entryMissing,
            "\(owner) has no entry \(id) in this list.",
            advice: "Read the list again; somebody may have removed the entry."
        )
    }

    static func invalidIdentifier(_ id: String) -> StoreError {
        StoreError(
            .invalidIdentifier,
            "The identifier \"\(id.prefix(40))…\" is \(id.utf8.count) bytes long.",
            advice: "Identifiers are at most 240 bytes of UTF-8, a NUL counting twice."
        )
    }

    static func emptyIdentifier(_ model: String) -> StoreError {
        StoreError(
            .invalidIdentifier,
            "A new \(model) has an empty identifier.",
            advice: "Give it one, such as ID() makes."
        )
    }

    /// A write on a thread that the write before it waits for (STO-51).
    static let writeInCallback = StoreError(
        .writeInCallback,
        "A write was started in the callback of a work that writes itself, which would wait for it for ever.",
        advice: "Note what is to be written, and write it when the work is done."
    )

    static let writeStalled = StoreError(
        .writeStalled,
        "The body of a write did nothing for five seconds while other writes waited for it, which went on without it.",
        advice: "Nothing of it remains. Wait for nothing in the body of a write, and write again."
    )

    static let cancelled = StoreError(
        .cancelled,
        "The work was cancelled.",
        advice: "The store is as it was; start again when you like."
    )

    static func noEntry(of member: String) -> StoreError {
        StoreError(
            .entryMissing,
            "The list has no entry of \(member).",
            advice: "Fetch the list and take a member that is in it."
        )
    }

    static let closed = StoreError(
        .closed,
        "The store is closed.",
        advice: "Open it again."
    )

    /// A quoted path, without the name of the file inside: what is there may be a file itself.
    private static func withoutDataFile(_ place: String) -> String {
        let name = "/data.mdb\""
        return place.hasSuffix(name) ? place.dropLast(name.count) + "\"" : place
    }

    init(_ error: LMDBError) {
        let place = error.path.map { " \"\($0)\"" } ?? ""
        switch error.code {
        case .alreadyOpen:
            self.init(
                .alreadyOpen,
                "The store\(place) is already open in this process.",
                advice: "Share the open Store, or close it first."
            )
        case .noSuchStore:
            self.init(.storeNotFound, "There is no store at\(place).", advice: "Check the path.")
        case .exists:
            self.init(
                .storeExists,
                "There already is something at\(place).",
                advice: "Choose another path, or remove what is there."
            )
        case .notAStore:
            self.init(
                .notAStore,
                "What is at\(Self.withoutDataFile(place)) is not a Reprise store.",
                advice: "Check the path."
            )
        case .truncated(let expected, let actual):
            self.init(
                .truncated,
                "The store\(place) has \(actual) bytes where \(expected) are needed: its end is missing.",
                advice: "Restore it from a backup; it was not opened and not changed."
            )
        case .versionMismatch:
            self.init(
                .newerFormat,
                "The store\(place) was written in a format that this version does not know.",
                advice: "Open it with a newer version of Reprise."
            )
        case .corrupted:
            self.init(
                .corrupted,
                "The store\(place) is damaged: \(error.operation).",
                advice: "Restore it from a backup; if only views are hit, a replay rebuilds them."
            )
        case .permissionDenied:
            self.init(
                .permissionDenied,
                "The store\(place) may not be opened or written.",
                advice: "Check the permissions of the directory and its files."
            )
        case .readOnlyFileSystem:
            self.init(
                .permissionDenied,
                "The store\(place) is on a file system that may only be read.",
                advice: "Mount it for writing, or choose a path on another one."
            )
        case .nameTooLong:
            let beginning = error.path.map { " \"\($0.prefix(40))…\"" } ?? ""
            self.init(
                .storeNotFound,
                "The path\(beginning), or a name in it, is longer than this system takes.",
                advice: "Choose a shorter one."
            )
        case .otherFileSystem:
            self.init(
                .inputOutput,
                "The new store cannot get its name\(place): that is on another file system than its directory.",
                advice: "Choose a path in a directory that is on one file system."
            )
        case .diskFull:
            self.init(
                .diskFull,
                "The disk is full.",
                advice:
                    "Nothing was lost: free some space and write again. If that throws `poisoned`, open it again."
            )
        case .fileTooLarge:
            self.init(
                .diskFull,
                "The file of the store\(place) may not grow any more: a limit on the size of files is reached.",
                advice:
                    "Nothing was lost: raise the limit (ulimit -f), close the store and open it again."
            )
        case .outOfMemory:
            self.init(
                .inputOutput,
                "There is not enough memory, or address space, for the store\(place).",
                advice:
                    "Free some or raise the limit (ulimit -v), close the store and open it again."
            )
        case .tooManyFiles:
            self.init(
                .inputOutput,
                "Too many files are open already for those of the store\(place).",
                advice:
                    "Close some or raise the limit (ulimit -n), close the store and open it again."
            )
        case .inputOutput:
            let reason = error.reason.map { " (\($0))" } ?? ""
            self.init(
                .inputOutput,
                "The disk reported an error\(reason) during \(error.operation).",
                advice:
                    "Check the disk, its room and the limit on the size of files; close the store and open it again."
            )
        case .mapFull, .mapFullWhileReading:
            self.init(
                .mapFull,
                "The store cannot grow while reads are open.",
                advice: "End long reads and write again; nothing was lost."
            )
        case .readersFull:
            self.init(
                .tooManyReaders,
                "Too many reads are open at the same time.",
                advice: "End some of them; a read should be short."
            )
        case .transactionTooLarge:
            self.init(
                .mapFull,
                "The transaction is too large for one commit.",
                advice: "Split it into several commits, or use a bulk load."
            )
        case .closed:
            self = .closed
        case .poisoned:
            self.init(
                .poisoned,
                "An earlier write to the store failed, and its outcome is not known.",
                advice: "Close the store and open it again."
            )
        case .readOnly:
            self.init(
                .readOnly,
                "The store\(place) was opened for reading only.",
                advice: "Open it without `readOnly` to write to it."
            )
        case .storeMoved:
            self.init(
                .storeMoved,
                "The store\(place) is not there any more as it was opened: \(error.operation).",
                advice:
                    "Close it and open it where it is now. The write that failed was not acknowledged; look there."
            )
        case .writerBusy(let processID):
            let known = processID == 0 ? nil : processID
            self.init(
                .writerBusy,
                "Another process\(known.map { " (\($0))" } ?? "") has been writing to the store\(place) for too long.",
                advice: "Wait until it ends or end it, and write again; nothing was lost.",
                cause: .writer(processID: known)
            )
        case .lockFileUnusable:
            self.init(
                .lockFileUnusable,
                "The lock file\(place) cannot be used, and another process has the store open: \(error.operation).",
                advice:
                    "End all programs that have the store open and open it again, which makes the lock file anew."
            )
        case .inUse:
            self.init(
                .storeInUse,
                "The store\(place) is in use: \(error.operation).",
                advice: "End the other program that has it open, or read a copy of the store."
            )
        case .unsupportedLibrary:
            self.init(
                .unsupportedLMDB,
                "This program was linked with a library that stores files in another format: \(error.operation).",
                advice: "Install LMDB 0.9 (liblmdb-dev) and build the program with it. No file was touched."
            )
        case .keyTooLong, .other:
            self.init(
                .inputOutput,
                "It was not possible to \(error.operation)\(place)\(error.reason.map { ": \($0)" } ?? "").",
                advice: "Remove the cause, close the store and open it again."
            )
        }
    }

    init(_ error: LogError) {
        if case .lmdb(let inner) = error.code {
            self.init(inner)
            return
        }
        switch error.code {
        case .unsupportedVersion:
            self.init(
                .newerFormat,
                error.sentence,
                advice: "Open the store with a newer version of Reprise."
            )
        case .eventTooLarge, .commitTooLarge, .textTooLong:
            self.init(.valueTooLarge, error.sentence, advice: "Store less in one event.")
        default:
            self.init(
                .corrupted,
                error.sentence,
                advice: "The log is the truth of the store: restore it from a backup."
            )
        }
    }

    /// Any error of the layers below as the public one; a caller's own errors pass through.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case let error as LMDBError: StoreError(error)
        case let error as LogError: StoreError(error)
        // What a caller gave was checked where it came in, so these are bytes from the file.
        case let error as ValueError: StoreError.damage("A row cannot be read: \(error)")
        default: error
        }
    }
}
