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
}
