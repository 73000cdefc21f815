import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The one place where a return code of LMDB's transaction functions becomes Swift: success passes,
/// a fault of the world throws, a fault of ours traps.
@inline(__always)
func check(_ result: Int32, _ operation: StaticString) throws(LMDBError) {
    if result != MDB_SUCCESS { throw failure(result, operation) }
}

/// As ``check(_:_:)`` for what opens, closes, syncs and commits, where the system can answer
/// `EINVAL` for reasons of its own (a file system without mmap, a file offset out of range), so
/// that nothing traps.
@inline(__always)
func checkSystem(
    _ result: Int32,
    _ operation: StaticString,
    path: String? = nil
) throws(LMDBError) {
    if result != MDB_SUCCESS {
        throw LMDBError(
            code: .init(returnCode: result),
            rawCode: result,
            operation: operation.description,
            path: path
        )
    }
}

/// The error for `errno` as the last system call left it.
func systemFailure(_ operation: String, path: String? = nil) -> LMDBError {
    let number = errno
    return LMDBError(
        code: .init(returnCode: number),
        rawCode: number,
        operation: operation,
        path: path
    )
}

/// The error for a return code of a transaction function. Traps when the code can only come from
/// misuse.
@inline(never)
func failure(_ result: Int32, _ operation: StaticString) -> LMDBError {
    switch result {
    case MDB_BAD_TXN:
        preconditionFailure(
            "\(operation): the transaction is over or is used from two places at once."
        )
    case MDB_BAD_DBI:
        preconditionFailure("\(operation): the table does not belong to this environment.")
    case MDB_BAD_RSLOT:
        preconditionFailure("\(operation): a reader slot was used twice at the same time.")
    case EINVAL:
        preconditionFailure("\(operation): an argument is not valid in this transaction.")
    case EACCES:
        preconditionFailure("\(operation): a write in a read transaction.")
    default:
        return LMDBError(
            code: .init(returnCode: result),
            rawCode: result,
            operation: operation.description
        )
    }
}

/// The number of the commit that a transaction sees or will make. It comes from the lock file, so it may be any.
func commitNumber(of transaction: OpaquePointer) -> UInt64 {
    UInt64(UInt(bitPattern: unsafe mdb_txn_id(transaction)))
}

/// LMDB's sentence for one of its codes, or the system's for an `errno`.
func message(ofCode code: Int32) -> String {
    unsafe mdb_strerror(code).map { unsafe String(cString: $0) } ?? "unknown"
}

extension LMDBError.Code {
    init(returnCode: Int32) {
        switch returnCode {
        case MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_BAD_TXN:
            self = .corrupted
        case MDB_INVALID, MDB_INCOMPATIBLE, MDB_NOTFOUND: self = .notAStore
        case MDB_VERSION_MISMATCH: self = .versionMismatch
        case MDB_MAP_FULL: self = .mapFull
        case MDB_READERS_FULL: self = .readersFull
        case MDB_TXN_FULL: self = .transactionTooLarge
        case MDB_BAD_VALSIZE: self = .keyTooLong
        case MDB_PANIC: self = .poisoned
        case ENOENT: self = .noSuchStore
        case EEXIST, ENOTEMPTY: self = .exists
        // A path through a file, a symbolic link where none may be.
        case ENOTDIR, ELOOP: self = .notAStore
        case EACCES, EPERM: self = .permissionDenied
        case EROFS: self = .readOnlyFileSystem
        case ENOSPC, EDQUOT: self = .diskFull
        case EFBIG: self = .fileTooLarge
        case ENAMETOOLONG: self = .nameTooLong
        case ENOMEM: self = .outOfMemory
        case EMFILE, ENFILE: self = .tooManyFiles
        case EXDEV: self = .otherFileSystem
        case EIO: self = .inputOutput
        default: self = .other
        }
    }
}
