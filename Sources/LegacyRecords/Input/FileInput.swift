package import ExportFormats
import RepriseLog

/// An export's bytes from its start to its end, hashed on the way.
package final class FileInput: ByteInput {
    private static let progressByteCount: UInt64 = 4 << 20

    /// Called about every four megabytes with the bytes read so far; throwing ends the reading.
    package var onProgress: ((UInt64) throws -> Void)?
    private let file: ExportFile
    private var hash = SHA256Hash()
    private var bytesRead: UInt64 = 0
    private var lastProgress: UInt64 = 0

    /// - Parameters:
    ///   - path: the file.
    ///   - stamp: the state that it must be in; nil where any will do.
    package init(path: String, stamp: ExportFile.Stamp? = nil) throws(LegacyError) {
        file = try ExportFile(path: path)
        if let stamp { try file.checkUnchanged(since: stamp) }
    }

    /// The state of the file when it was opened.
    package var stamp: ExportFile.Stamp { file.stamp }

    /// The hash of everything read so far; of the whole file at its end.
    package var contentHash: ContentHash { ContentHash(hash.digest) }

    /// Throws `.changedWhileReading` unless the file is still what it was.
    package func checkUnchanged() throws(LegacyError) {
        try file.checkUnchanged(since: file.stamp)
    }

    package func fill(_ buffer: inout [UInt8]) throws -> Int {
        let count = try unsafe buffer.withUnsafeMutableBytes { bytes throws(LegacyError) in
            try unsafe file.read(into: bytes)
        }
        unsafe buffer.withUnsafeBytes { bytes in
            unsafe hash.update(.init(rebasing: bytes[..<count]))
        }
        bytesRead += UInt64(count)
        if bytesRead - lastProgress >= Self.progressByteCount {
            lastProgress = bytesRead
            try onProgress?(bytesRead)
        }
        return count
    }
}
