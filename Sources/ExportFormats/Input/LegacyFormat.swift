/// Tells formats apart by their content.
public enum LegacyFormat {
    /// How much of a file is looked at, in bytes.
    public static let prefixByteCount = 4096

    /// The beginning of a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - byteCount: how much of it.
    /// - Throws: ``LegacyError``.
    public static func prefix(
        of path: String,
        byteCount: Int = prefixByteCount
    ) throws(LegacyError) -> [UInt8] {
        let file = try ExportFile(path: path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: byteCount,
            alignment: 16
        )
        defer { unsafe buffer.deallocate() }
        let count = try unsafe file.read(into: buffer)
        return unsafe Array(buffer[..<count])
    }

    /// Refuses a file that is taken for an export and is something else: packed files, Excel workbooks, playlists in
    /// PLS, pointers of Git LFS, exports of Apple Health, web pages, and the database that iTunes keeps for itself.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``LegacyError``, with the code `unknownFormat` for such a file.
    public static func refuseForeign(_ path: String) throws(LegacyError) {
        try ForeignFile.refuse(prefix(of: path), path: path)
    }

    /// Whether a file may be an encrypted database: it begins with bytes that no text has, and its size is a multiple
    /// of 1,024 bytes, the least size of a page in SQLCipher.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``LegacyError``.
    public static func mayBeEncrypted(_ path: String) throws(LegacyError) -> Bool {
        let byteCount = try ExportFile(path: path).stamp.byteCount
        let start = try prefix(of: path)
        return byteCount > 0 && byteCount % 1024 == 0 && start.contains { $0 < 0x09 }
    }
}
