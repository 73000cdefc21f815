/// Where a reader gets its bytes from.
package protocol ByteInput: AnyObject {
    /// Replaces the first bytes of `buffer` by the next ones.
    ///
    /// - Returns: how many there are; 0 at the end.
    func fill(_ buffer: inout [UInt8]) throws -> Int
}

/// How much of an export is read at a time.
package enum InputPiece {
    /// In bytes.
    package static let byteCount = 1 << 18
}

/// Bytes that are in memory already.
package final class MemoryInput: ByteInput {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: some Sequence<UInt8>) {
        rest = Array(bytes)[...]
    }

    package func fill(_ buffer: inout [UInt8]) throws -> Int {
        let count = min(buffer.count, rest.count)
        buffer.replaceSubrange(..<count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}
