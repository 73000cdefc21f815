/// Tells formats apart by their content.
public enum LegacyFormat {
    /// How much of a file is looked at, in bytes.
    public static let prefixByteCount = 4096

    /// The beginning of a file.
    ///
    /// - Throws: ``LegacyError``.
    public static func prefix(of path: String) throws(LegacyError) -> [UInt8] {
        let file = try ExportFile(path: path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: prefixByteCount,
            alignment: 16
        )
        defer { unsafe buffer.deallocate() }
        let count = try unsafe file.read(into: buffer)
        return unsafe Array(buffer[..<count])
    }
}
