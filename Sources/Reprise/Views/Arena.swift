/// Memory for many small byte strings that live and die together.
///
/// Chunks never move, so a pointer that was handed out stays valid until ``removeAll()``.
@safe
final class Arena {
    /// The first chunk is small, because most transactions are; the fourth and all later ones are large.
    private static let firstChunkByteCount = 1 << 14
    private static let chunkByteCount = 1 << 20

    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
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

    /// Gives everything back but one chunk, which the next use starts with.
    func removeAll() {
        guard let first = unsafe chunks.first else { return }
        unsafe chunks.dropFirst().forEach { unsafe Self.free($0) }
        unsafe chunks = [first]
        unsafe next = first.baseAddress
        remaining = first.count
        byteCount = 0
    }

    private static func free(_ chunk: UnsafeMutableRawBufferPointer) {
        unsafe Chunk.free(chunk.baseAddress.unsafelyUnwrapped, byteCount: chunk.count)
    }

    private func grow(by count: Int) {
        let usual =
            unsafe chunks.count < 3
            ? Self.firstChunkByteCount << (2 * chunks.count) : Self.chunkByteCount
        let size = max(count, usual)
        let chunk = unsafe UnsafeMutableRawBufferPointer(
            start: Chunk.allocate(byteCount: size),
            count: size
        )
        unsafe chunks.append(chunk)
        unsafe next = chunk.baseAddress
        remaining = size
    }
}
