import CFloor

/// Where the bytes of the floor's entries lie, ready-made, until the floor has written them.
final class ByteArena {
    private static let chunkByteCount = 4 << 20
    private var chunks: [UnsafeMutablePointer<UInt8>] = []
    private var used = ByteArena.chunkByteCount

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Keeps a copy of key and value side by side.
    func entry(key: [UInt8], value: [UInt8]) -> floor_entry {
        let byteCount = key.count + value.count
        precondition(byteCount <= Self.chunkByteCount)
        if used + byteCount > Self.chunkByteCount || chunks.isEmpty {
            chunks.append(.allocate(capacity: Self.chunkByteCount))
            used = 0
        }
        let start = chunks[chunks.count - 1] + used
        for (offset, bytes) in [(0, key), (key.count, value)] {
            bytes.withUnsafeBufferPointer { source in
                guard let base = source.baseAddress else { return }
                (start + offset).update(from: base, count: source.count)
            }
        }
        used += byteCount
        return floor_entry(
            bytes: start,
            key_size: UInt32(key.count),
            value_size: UInt32(value.count)
        )
    }
}
