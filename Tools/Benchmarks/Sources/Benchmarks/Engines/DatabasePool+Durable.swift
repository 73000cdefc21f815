import Foundation
import GRDB

extension DatabasePool {
    /// A pool whose commits are on the disk when they return.
    ///
    /// Opening a pool sets `synchronous` to NORMAL after `prepareDatabase` has run, and NORMAL does
    /// not sync the WAL at a commit. So it is set to FULL afterwards, on the one connection that
    /// writes, and asked for again.
    static func durable(at file: URL) throws -> DatabasePool {
        let pool = try DatabasePool(path: file.path)
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
            let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode")
            guard level == 2, journal == "wal" else { throw BenchmarkError.notDurable }
        }
        return pool
    }
}
