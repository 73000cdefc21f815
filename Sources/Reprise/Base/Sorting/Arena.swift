/// Memory for many small byte strings that live and die together.
///
/// Chunks never move, so a pointer that was handed out stays valid until ``removeAll()``.
@safe
final class Arena {
    /// The first chunk is small, because most transactions are; the fourth and all later ones are large.
    private static let firstChunkByteCount = 1 << 14
    private static let chunkByteCount = 1 << 20

    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
    /// How many of the chunks, from the first on, are in use.
    private var usedCount = 0
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0

    /// Bytes handed out since the last ``removeAll()``.
    private(set) var byteCount = 0

    deinit {
        unsafe chunks.forEach { unsafe Self.free($0) }
    }

    /// Room for `count` bytes, uninitialised, aligned to 8.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let rounded = (count + 7) & ~7
        if unsafe rounded > remaining || next == nil { grow(by: rounded) }
        let pointer = unsafe next.unsafelyUnwrapped
        unsafe next = pointer + rounded
        remaining -= rounded
        byteCount += rounded
        return unsafe pointer
    }

    /// A copy of `bytes`.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let pointer = unsafe allocate(bytes.count)
        if let source = bytes.baseAddress {
            unsafe pointer.copyMemory(from: source, byteCount: bytes.count)
        }
        return UnsafeRawPointer(pointer)
    }

    /// Forgets everything and keeps the memory for what comes next, because fresh memory costs a fault for each page;
    /// but for chunks that were made for one large piece.
    func removeAll() {
        unsafe chunks.removeAll { chunk in
            guard chunk.count > Self.chunkByteCount else { return false }
            unsafe Self.free(chunk)
            return true
        }
        usedCount = 0
        unsafe next = nil
        remaining = 0
        byteCount = 0
    }

    private static func free(_ chunk: UnsafeMutableRawBufferPointer) {
        unsafe Chunk.free(chunk.baseAddress.unsafelyUnwrapped, byteCount: chunk.count)
    }

    private func grow(by count: Int) {
        // One that is too small is passed over this time; no more than the first few can be.
        while count <= Self.chunkByteCount, unsafe usedCount < chunks.count {
            let chunk = unsafe chunks[usedCount]
            usedCount += 1
            if chunk.count >= count { return unsafe begin(chunk) }
        }
        let usual =
            unsafe chunks.count < 3
            ? Self.firstChunkByteCount << (2 * chunks.count) : Self.chunkByteCount
        let size = max(count, usual)
        let chunk = unsafe UnsafeMutableRawBufferPointer(
            start: Chunk.allocate(byteCount: size),
            count: size
        )
        unsafe chunks.insert(chunk, at: usedCount)
        usedCount += 1
        unsafe begin(chunk)
    }

    private func begin(_ chunk: UnsafeMutableRawBufferPointer) {
        unsafe next = chunk.baseAddress
        remaining = chunk.count
    }
}
