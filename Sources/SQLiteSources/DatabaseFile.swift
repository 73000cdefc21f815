import ExportFormats
import LegacyRecords
import RepriseLog
import SQLiteFile
import Synchronization

/// A database and the private copy that is read of it.
///
/// The copy is opened at once and stays open, so that it needs no name in the directory of temporary files.
final class DatabaseFile: @unchecked Sendable {
    // Unchecked: the database is used by whoever has the turn, the rest is set before `init` returns.

    /// The path that was given.
    let path: String
    /// The resolved path of the original.
    let originalPath: String
    let byteCount: UInt64
    /// Whether a log is missing beside the database that may have held its latest changes.
    let lacksLog: Bool
    /// Whether a log is beside the database, with changes that the database itself may lack.
    var hasLog: Bool { originals.contains { $0.path.hasSuffix("-wal") } }
    private let originals: [SQLiteCopy.Original]
    private let stamps: [ExportFile.Stamp]
    private let database: SQLiteDatabase
    private let turn = Mutex(())

    /// Copies the database, which is one pass of its opening.
    init(_ opening: SourceOpening) throws(LegacyError) {
        path = opening.path
        try opening.beginPass()
        let copy: SQLiteCopy
        do throws(SQLiteFileError) {
            copy = try SQLiteCopy(of: opening.path) { byteCount in
                opening.goesOn(to: byteCount)
            }
            database = try SQLiteDatabase(copy)
        } catch {
            throw LegacyError(error)
        }
        originals = copy.originals
        originalPath = copy.originalPath
        lacksLog = copy.lacksLog
        var stamps: [ExportFile.Stamp] = []
        for original in originals { stamps.append(try ExportFile(path: original.path).stamp) }
        guard stamps.first == opening.stamp else {
            throw LegacyError(
                .changedWhileReading,
                "\(path) was changed by another program while it was copied.",
                advice: "Quit the app that uses it, and try again."
            )
        }
        self.stamps = stamps
        byteCount = originals.reduce(0) { $0 + $1.byteCount }
        opening.lengthen(to: byteCount)
    }

    /// Does something with the database; whoever else wants it waits.
    func withDatabase<R, E: Error>(_ body: (SQLiteDatabase) throws(E) -> R) throws(E) -> R {
        let result: Result<R, E> = turn.withLock { _ in
            do throws(E) {
                return .success(try body(database))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    var fileName: String { SourceFile.name(of: path) }

    /// The hash of the database's bytes and then those of its log, where there is one.
    func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        var hash = SHA256Hash()
        var bytesRead: UInt64 = 0
        for (original, stamp) in zip(originals, stamps) {
            let file = try ExportFile(path: original.path)
            try file.checkUnchanged(since: stamp)
            try file.read(into: &hash) { count in
                try progress(LegacyProgress(bytesRead: bytesRead + count, byteCount: byteCount))
            }
            try file.checkUnchanged(since: stamp)
            bytesRead += original.byteCount
        }
        return ContentHash(hash.digest)
    }
}
