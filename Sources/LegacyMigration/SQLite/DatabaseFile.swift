import Crypto
import SQLiteFile

/// A database and the private copy that is read of it.
final class DatabaseFile: Sendable {
    /// The path that was given.
    let path: String
    let copy: SQLiteCopy
    let byteCount: UInt64
    private let stamps: [ExportFile.Stamp]

    /// Copies the database, which is one pass of its opening.
    init(_ opening: SourceOpening) throws(LegacyError) {
        path = opening.path
        try opening.beginPass()
        do throws(SQLiteFileError) {
            copy = try SQLiteCopy(of: opening.path) { byteCount in
                opening.goesOn(to: byteCount)
            }
        } catch {
            throw LegacyError(error)
        }
        var stamps: [ExportFile.Stamp] = []
        for original in copy.originals { stamps.append(try ExportFile(path: original.path).stamp) }
        guard stamps.first == opening.stamp else {
            throw LegacyError(
                .changedWhileReading,
                "\(path) was changed by another program while it was copied.",
                advice: "Quit the app that uses it, and try again."
            )
        }
        self.stamps = stamps
        byteCount = copy.originals.reduce(0) { $0 + $1.byteCount }
        opening.lengthen(to: byteCount)
    }

    var fileName: String { SourceFile.name(of: path) }

    /// The hash of the database's bytes and then those of its log, where there is one.
    func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        var hash = SHA256()
        var bytesRead: UInt64 = 0
        for (original, stamp) in zip(copy.originals, stamps) {
            let file = try ExportFile(path: original.path)
            try file.checkUnchanged(since: stamp)
            try file.read(into: &hash) { count in
                try progress(LegacyProgress(bytesRead: bytesRead + count, byteCount: byteCount))
            }
            try file.checkUnchanged(since: stamp)
            bytesRead += original.byteCount
        }
        return ContentHash(hash.finalize())
    }
}
