/// Memory for many small byte strings that live and die together.
///
/// Chunks never move, so a pointer that was handed out stays valid until ``removeAll()``.
@safe
final class Arena {
    private static let chunkByteCount = 1 << 20

    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0

    /// Bytes handed out since the last ``removeAll()``.
    private(set) var byteCount = 0

    deinit {
        unsafe chunks.forEach { unsafe $0.deallocate() }
    }

    /// Room for `count` bytes, uninitialised, aligned to 8.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let rounded = (count + 7) & ~7
        if rounded > remaining { grow(by: rounded) }
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
        unsafe chunks.dropFirst().forEach { unsafe $0.deallocate() }
        unsafe chunks = [first]
        unsafe next = first.baseAddress
        remaining = first.count
        byteCount = 0
    }

    private func grow(by count: Int) {
        let size = max(count, Self.chunkByteCount)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        unsafe chunks.append(chunk)
        unsafe next = chunk.baseAddress
        remaining = size
    }
}
