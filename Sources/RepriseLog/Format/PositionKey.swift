/// Hands out the key of the log's table for `position`: eight bytes, the most significant first, so
/// that the table's order is the order of positions.
@inline(__always)
func withPositionKey<Result, Failure: Error>(
    _ position: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe withUnsafeBytes(of: position.bigEndian, body)
}

/// The position that a key of the log's table stands for.
///
/// - Throws: `LogError` with the code `.corrupt` when no position has that key.
func position(ofKey key: UnsafeRawBufferPointer) throws(LogError) -> UInt64 {
    guard key.count == 8 else { throw .corrupt("a key of the log's table has \(key.count) bytes") }
    return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
}
