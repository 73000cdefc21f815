import Foundation
import TestSupport
import Testing

@testable import SQLiteFile

/// Logs that are damaged, and those that only look like it.
@Suite struct WriteAheadLogTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-log")
    }

    private static let frameByteCount = 24 + 4096

    /// A database with a row of its own, and a log of four transactions with a frame each.
    private func parts() throws -> (database: Data, log: Data) {
        let path = directory.path("whole.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a)"
        )
        try writer.execute("INSERT INTO t VALUES(0); PRAGMA wal_checkpoint(TRUNCATE)")
        for number in 1...4 { try writer.execute("INSERT INTO t VALUES(\(number))") }
        let parts = try (
            Data(contentsOf: URL(filePath: path)), Data(contentsOf: URL(filePath: path + "-wal"))
        )
        writer.close()
        #expect(parts.1.count == 32 + 4 * Self.frameByteCount)
        return parts
    }

    private func rowCount(_ database: Data, _ log: Data) throws -> Int64? {
        let path = directory.path("\(UUID()).db")
        try database.write(to: URL(filePath: path))
        try log.write(to: URL(filePath: path + "-wal"))
        return try count(SQLiteDatabase(SQLiteCopy(of: path)), "SELECT count(*) FROM t")
    }

    @Test func `a log that is damaged before a transaction that was committed is refused`() throws {
        let (database, log) = try parts()
        #expect(try rowCount(database, log) == 5)
        for frame in 0..<3 {
            for place in [0, 3, 8, 16, 24, 4000] {
                var mutant = log
                mutant[32 + frame * Self.frameByteCount + place] ^= 1
                #expect(
                    code { _ = try rowCount(database, mutant) } == .damaged,
                    "\(frame) \(place)"
                )
            }
        }
    }

    @Test func `what was never committed, or is of an earlier use of the log, is left out`() throws
    {
        let (database, log) = try parts()
        // The end of the last transaction never came to the disk.
        var torn = log
        torn[log.count - 1] ^= 1
        #expect(try rowCount(database, torn) == 4)
        // A frame with the salts of another use, after the last one.
        var older = log + log.suffix(Self.frameByteCount)
        older[log.count + 8] ^= 1
        #expect(try rowCount(database, older) == 5)
        // A transaction of this use that has no end.
        var open = log + log.suffix(Self.frameByteCount)
        for place in 4..<8 { open[log.count + place] = 0 }
        #expect(try rowCount(database, open) == 5)
    }

    @Test func `a log with pages of an impossible size is refused`() throws {
        let (database, log) = try parts()
        for size: [UInt8] in [[0, 0, 0, 0], [0, 0, 0x10, 1], [0x80, 0, 0, 0]] {
            var header = Array(log.prefix(32))
            header.replaceSubrange(8..<12, with: size)
            var sum = WriteAheadLogSum(isBigEndian: WriteAheadLogHeader.isBigEndian(header))
            sum.add(header[..<24])
            for (place, word) in [(24, sum.first), (28, sum.second)] {
                for byte in 0..<4 {
                    header[place + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * byte))
                }
            }
            #expect(
                code { _ = try rowCount(database, Data(header) + log.dropFirst(32)) } == .damaged
            )
        }
    }
}
