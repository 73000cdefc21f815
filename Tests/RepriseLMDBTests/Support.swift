@testable import RepriseLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory for one test. It goes away with the process, because an environment may outlive the
/// value.
struct Scratch {
    private static let root: String = {
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let root = FileManager.default.temporaryDirectory.path + "/reprise-lmdb-" + random
        unsafe mkdir(root, 0o700)
        atexit { try? FileManager.default.removeItem(atPath: Scratch.root) }
        return root
    }()

    let path: String

    init() {
        path = Self.root + "/" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        unsafe mkdir(path, 0o700)
    }

    /// For tests that make thousands of them.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/store" }
    var data: String { store + "/data.mdb" }
    var lock: String { store + "/lock.mdb" }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

extension Environment.Options {
    /// A map small enough to fill, in MiB.
    static func small(_ mebibytes: Int = 1, wait: Duration = .seconds(10)) -> Self {
        var options = Environment.Options()
        options.mapByteCount = mebibytes << 20
        options.readerWait = wait
        return options
    }
}

extension Environment {
    /// A new environment with the tables "a" and "b", both empty.
    static func scratch(
        _ scratch: Scratch,
        options: Options = .small(64)
    ) throws -> Environment {
        try create(at: scratch.store, tables: ["a", "b"], options: options) { _, _ in }
    }

    static func reopen(
        _ scratch: Scratch,
        options: Options = .small(64)
    ) throws(LMDBError) -> Environment {
        try open(at: scratch.store, tables: ["a", "b"], options: options)
    }

    func put(_ key: [UInt8], _ value: [UInt8], table name: String = "a") throws {
        let transaction = try beginWrite()
        try transaction.put(table(name), key, value)
        try transaction.commit()
    }

    func value(_ key: [UInt8], table name: String = "a") throws -> [UInt8]? {
        let transaction = try beginRead()
        return try transaction.reader.value(table(name), key)
    }

    /// What reading every byte of every table through LMDB gives. Hashes hold within one process.
    struct Content: Equatable {
        var byteCount = 0
        var hash = Hasher().finalize()
    }

    func scan(_ names: [String] = ["a", "b"]) throws -> Content {
        let transaction = try beginRead()
        var hasher = Hasher()
        var content = Content()
        for name in names {
            var cursor = try transaction.reader.cursor(table(name))
            while try cursor.next() {
                unsafe hasher.combine(bytes: cursor.key)
                unsafe hasher.combine(bytes: cursor.value)
                content.byteCount += unsafe cursor.key.count + cursor.value.count
            }
        }
        content.hash = hasher.finalize()
        return content
    }
}

extension WriteTransaction {
    func put(_ table: Table, _ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        try unsafe key.bytes { key throws(LMDBError) in
            try unsafe value.bytes { value throws(LMDBError) in
                try unsafe put(table, key: key, value: value)
            }
        }
    }

    func append(_ table: Table, _ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        try unsafe key.bytes { key throws(LMDBError) in
            try unsafe value.bytes { value throws(LMDBError) in
                try unsafe append(table, key: key, value: value)
            }
        }
    }

    @discardableResult
    func delete(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool {
        try unsafe key.bytes { key throws(LMDBError) in try unsafe delete(table, key: key) }
    }
}

extension TableReader {
    func value(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> [UInt8]? {
        try unsafe key.bytes { key throws(LMDBError) in
            try unsafe get(table, key).map { unsafe Array($0) }
        }
    }
}

extension Array where Element == UInt8 {
    func bytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        do {
            return try unsafe withUnsafeBytes { unsafe try body($0) }
        } catch let error as LMDBError {
            throw error
        } catch {
            preconditionFailure("Only storage errors are thrown here.")
        }
    }

    init(_ number: Int) {
        self = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

/// The code that an operation fails with, or `nil` when it succeeds.
func code(of body: () throws -> Void) -> LMDBError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? LMDBError)?.code
    }
}

/// SplitMix64: the same numbers on every machine.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
