/// How far a log reaches: what the next commit continues.
package struct LogState: Sendable, Equatable {
    /// The position of the last event; 0 when the log is empty.
    package var head: UInt64

    /// How many commits the log holds.
    package var commitCount: UInt64

    /// The hash of the last block; zero when the log is empty.
    package var lastHash: Digest256

    package init(head: UInt64, commitCount: UInt64, lastHash: Digest256) {
        self.head = head
        self.commitCount = commitCount
        self.lastHash = lastHash
    }

    /// The state of a log without events.
    package static let empty = LogState(head: 0, commitCount: 0, lastHash: .zero)
}

// MARK: - Bytes

extension LogState {
    /// How many bytes a state takes: head, commit count, hash.
    package static let byteCount = 48

    /// Appends the 48 bytes of this state.
    package func encode(into writer: inout ByteWriter) {
        writer.u64(head)
        writer.u64(commitCount)
        writer.digest(lastHash)
    }

    /// Reads a state.
    ///
    /// - Throws: `LogError` with the code `.corrupt` when the bytes end too early or no log can be
    ///   in that state.
    package init(decoding reader: inout ByteReader) throws(LogError) {
        head = try reader.u64()
        commitCount = try reader.u64()
        lastHash = try reader.digest()
        guard head <= LogFormat.positionMax, commitCount <= head else {
            throw .corrupt("the state of the log names an impossible position")
        }
        guard (head == 0) == (commitCount == 0), head > 0 || lastHash == .zero else {
            throw .corrupt("the state of the log contradicts itself")
        }
    }
}

extension ByteWriter {
    /// Appends the 32 bytes of `digest`.
    package mutating func digest(_ digest: Digest256) {
        let offset = reserve(Digest256.byteCount)
        patch(digest: digest, at: offset)
    }

    /// Overwrites 32 bytes at `offset`.
    package mutating func patch(digest: Digest256, at offset: Int) {
        patch(u64: digest.lane0, at: offset)
        patch(u64: digest.lane1, at: offset + 8)
        patch(u64: digest.lane2, at: offset + 16)
        patch(u64: digest.lane3, at: offset + 24)
    }
}

extension ByteReader {
    /// Reads 32 bytes.
    package mutating func digest() throws(LogError) -> Digest256 {
        try unsafe Digest256(bytes: bytes(Digest256.byteCount))
    }
}
