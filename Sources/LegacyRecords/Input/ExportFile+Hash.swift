package import ExportFormats
package import RepriseLog

extension ExportFile {
    /// The hash of a whole file that must be, and stay, in a state.
    ///
    /// - Parameter progress: called about every four megabytes; throwing cancels.
    package static func hash(
        of path: String,
        in stamp: Stamp,
        _ progress: (LegacyProgress) throws -> Void
    ) throws -> ContentHash {
        let file = try ExportFile(path: path)
        try file.checkUnchanged(since: stamp)
        let hash = try file.hash { bytesRead in
            try progress(LegacyProgress(bytesRead: bytesRead, byteCount: stamp.byteCount))
        }
        try file.checkUnchanged(since: stamp)
        return hash
    }

    private static let hashPieceByteCount = 1 << 20

    /// The hash of what is left to read.
    ///
    /// - Parameter progress: called about every four megabytes with the bytes read so far; throwing
    ///   cancels.
    borrowing func hash(_ progress: (UInt64) throws -> Void) throws -> ContentHash {
        var hash = SHA256Hash()
        try read(into: &hash, progress)
        return ContentHash(hash.digest)
    }

    /// Takes what is left to read into a hash.
    ///
    /// - Parameter progress: called about every four megabytes with the bytes read so far; throwing
    ///   cancels.
    package borrowing func read(into hash: inout SHA256Hash, _ progress: (UInt64) throws -> Void) throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.hashPieceByteCount,
            alignment: 16
        )
        defer { unsafe piece.deallocate() }
        var bytesRead: UInt64 = 0
        var pieceCount = 0
        while true {
            let count = try unsafe read(into: piece)
            guard count > 0 else { break }
            unsafe hash.update(.init(rebasing: piece[..<count]))
            bytesRead += UInt64(count)
            pieceCount += 1
            if pieceCount % 4 == 0 { try progress(bytesRead) }
        }
    }
}
