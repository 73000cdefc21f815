import Testing

@testable import Reprise
@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is said of errors of the system (STO-34).
struct SystemErrorTests {
    private func error(_ number: Int32, _ operation: String = "open a file") -> StoreError {
        let code = LMDBError.Code(returnCode: number)
        return StoreError(
            LMDBError(code: code, rawCode: number, operation: operation, path: "/a/store")
        )
    }

    @Test(
        arguments: [
            (ENAMETOOLONG, .storeNotFound, "The path \"/a/store…\", or a name in it, is longer"),
            (ENOMEM, .inputOutput, "There is not enough memory"),
            (EMFILE, .inputOutput, "Too many files are open already"),
            (ENFILE, .inputOutput, "Too many files are open already"),
            (EXDEV, .inputOutput, "The new store cannot get its name \"/a/store\""),
            (EROFS, .permissionDenied, "The store \"/a/store\" is on a file system that may only"),
            (EFBIG, .diskFull, "The file of the store \"/a/store\" may not grow any more"),
            (EIO, .inputOutput, "The disk reported an error (Input/output error) during open a"),
            (EBADF, .inputOutput, "It was not possible to open a file \"/a/store\": Bad file desc"),
        ] as [(Int32, StoreError.Code, String)]
    )
    func `an error of the system is told in words, with what helps against it`(
        _ number: Int32,
        _ code: StoreError.Code,
        _ beginning: String
    ) {
        let error = error(number)
        #expect(error.code == code)
        #expect(error.message.hasPrefix(beginning), "\(error.message)")
        #expect(error.message.hasSuffix(".") && error.advice.hasSuffix("."))
        #expect(!error.description.contains("\(number)"))
    }

    @Test func `what this module finds itself has no reason of the system's`() {
        let found = LMDBError(code: .other, operation: "read back a temporary file")
        #expect(
            StoreError(found).message == "It was not possible to read back a temporary file."
        )
    }

    @Test func `errors of making a store speak of where it shall be`() {
        let path = "/a/store"
        let hidden = LMDBError(
            code: .permissionDenied,
            rawCode: EACCES,
            operation: "create a directory",
            path: "/a/.store.creating-1"
        )
        let told = #expect(throws: LMDBError.self) {
            try Store.making(at: path) { throw hidden }
        }
        #expect(told?.path == path && told?.code == .permissionDenied)
        let pathless = LMDBError(code: .diskFull, rawCode: ENOSPC, operation: "commit")
        #expect(throws: pathless) { try Store.making(at: path) { throw pathless } }
        let missing = #expect(throws: StoreError.self) {
            try Store.making(at: path) {
                throw LMDBError(code: .noSuchStore, rawCode: ENOENT, operation: "create")
            }
        }
        #expect(missing?.code == .storeNotFound)
        #expect(
            missing?.message
                == "The directory that shall hold the store \"/a/store\" does not exist."
        )
    }
}
