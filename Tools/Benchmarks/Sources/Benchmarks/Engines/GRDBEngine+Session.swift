import CSession
import Foundation
import GRDB
import Reprise

/// What SQLite's session extension has recorded: changes that can be inverted and applied.
struct SessionChanges {
    fileprivate let bytes: [UInt8]

    /// Whether the SQLite of this process can record changes.
    static var areAvailable: Bool { session_is_available() }

    /// The changes that take these back.
    func inverted() throws -> SessionChanges {
        var (size, inverted): (Int32, UnsafeMutableRawPointer?) = (0, nil)
        try check(bytes.withUnsafeBytes { session_invert(Int32($0.count), $0.baseAddress, &size, &inverted) })
        return SessionChanges(size, inverted)
    }

    /// Takes over memory of SQLite's.
    fileprivate init(_ size: Int32, _ start: UnsafeMutableRawPointer?) {
        bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: Int(size)))
        session_free(start)
    }
}

/// - Parameter result: what SQLite has returned.
private func check(_ result: Int32) throws {
    if result != 0 { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
}

extension GRDBEngine {
    /// Inserts tracks in one transaction that is recorded.
    func recordInserting(_ tracks: some Sequence<Track>) throws -> SessionChanges {
        try record { database in try Self.insert(Array(tracks), into: database) }
    }

    /// Counts one more play of tracks, in one transaction that is recorded.
    ///
    /// - Parameter making: is told how long the making of the set has taken, in seconds.
    func recordPlaying(_ ids: [String], making: (Double) -> Void = { _ in }) throws -> SessionChanges {
        try record(making: making) { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE track SET playCount = playCount + 1 WHERE id = ?"
            )
            for id in ids { try statement.execute(arguments: [id]) }
        }
    }

    /// Applies changes in one transaction. Returns how many found their row otherwise and were left out.
    func apply(_ changes: SessionChanges) throws -> Int {
        try write { database in
            var leftOut: Int32 = 0
            var bytes = changes.bytes
            try check(
                bytes.withUnsafeMutableBytes {
                    session_apply(Self.pointer(of: database), Int32($0.count), $0.baseAddress, &leftOut)
                }
            )
            return Int(leftOut)
        }
    }

    /// The identifiers of the first tracks.
    func ids(_ count: Int) throws -> [String] {
        try write { try String.fetchAll($0, sql: "SELECT id FROM track LIMIT ?", arguments: [count]) }
    }

    private func record(
        making: (Double) -> Void = { _ in },
        _ body: (Database) throws -> Void
    ) throws -> SessionChanges {
        try write { database in
            var session: UnsafeMutableRawPointer?
            try check(session_begin(Self.pointer(of: database), &session))
            defer { session_end(session) }
            try body(database)
            var (size, bytes): (Int32, UnsafeMutableRawPointer?) = (0, nil)
            making(try Stopwatch.time { try check(session_changes(session, &size, &bytes)) })
            return SessionChanges(size, bytes)
        }
    }

    private static func pointer(of database: Database) -> UnsafeMutableRawPointer? {
        database.sqliteConnection.map { UnsafeMutableRawPointer($0) }
    }
}
