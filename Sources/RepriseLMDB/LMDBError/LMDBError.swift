/// Why a storage operation did not happen: a code to act on, LMDB's or the system's own number, and
/// a place to look.
///
/// Only faults of the world are errors (disks, permissions, damaged files, other processes). Misuse
/// of this module is a programming error and traps with a sentence instead.
package struct LMDBError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        /// This process already has the environment open; LMDB's file locks allow it only once.
        case alreadyOpen
        /// There is no environment at the path.
        case noSuchStore
        /// Something is already at the path where an environment was to be created.
        case exists
        /// The file at the path is not an environment of this module.
        case notAStore
        /// The data file ends before a page that is in use. Counts are bytes.
        case truncated(expected: Int, actual: Int)
        /// The file was written in another version of LMDB's format.
        case versionMismatch
        /// A page, a node or a count in the file contradicts the rest of the file.
        case corrupted
        case permissionDenied
        /// The environment was opened for reading only.
        case readOnly
        case readOnlyFileSystem
        case diskFull
        /// A limit on the size of files is reached.
        case fileTooLarge
        /// A path, or a name in it, is longer than the system takes.
        case nameTooLong
        /// There is no memory left, or no address space.
        case outOfMemory
        /// The process or the system has too many files open.
        case tooManyFiles
        /// Two paths that must be on one file system are not.
        case otherFileSystem
        case inputOutput
        /// The transaction needs more room than the map has. It is aborted; the next one grows the
        /// map first.
        case mapFull
        /// As ``mapFull``, and the map could not grow because readers stayed open.
        case mapFullWhileReading
        /// Every reader slot is taken by a live reader.
        case readersFull
        /// The transaction changes more pages, or holds a larger value, than LMDB can carry.
        case transactionTooLarge
        /// The key is empty or longer than ``Table/keyByteCountMax``.
        case keyTooLong
        /// The environment was closed.
        case closed
        /// A commit failed with an unknown outcome, or the system took the map away and gave no other; the
        /// environment must be closed and opened again.
        case poisoned
        /// The directory or a file of it is not at the path any more where it was opened.
        case storeMoved
        /// Another process has the writer's lock longer than the caller wants to wait. Its number is 0 where it runs in
        /// another container, and `nil` where it is not known any more.
        case writerBusy(processID: Int32?)
        /// The lock file cannot be used as it is, and another process has the environment open.
        case lockFileUnusable
        /// Another process has the environment open, and this one cannot take part in its locks.
        case inUse
        /// The library LMDB does not read this format of files.
        case unsupportedLibrary
        case other
    }

    /// What went wrong, to decide upon.
    package var code: Code
    /// LMDB's return code (negative) or `errno` (positive); 0 when this module found the fault
    /// itself.
    package var rawCode: Int32
    /// What was being done, in words.
    package var operation: String
    /// The file or directory concerned, where one is known.
    package var path: String?

    package init(code: Code, rawCode: Int32 = 0, operation: String, path: String? = nil) {
        self.code = code
        self.rawCode = rawCode
        self.operation = operation
        self.path = path
    }
}

extension LMDBError {
    /// LMDB's or the system's words for ``rawCode``; `nil` when this module found the fault itself.
    package var reason: String? { rawCode == 0 ? nil : message(ofCode: rawCode) }
}

extension LMDBError: CustomStringConvertible {
    package var description: String {
        var sentence = "\(operation): \(code)"
        if let reason { sentence += " (\(rawCode): \(reason))" }
        if let path { sentence += " at \(path)" }
        return sentence
    }
}
