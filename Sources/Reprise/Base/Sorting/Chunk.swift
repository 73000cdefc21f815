#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Pieces of memory. Large ones come straight from the system, which has them back as soon as they are freed: an
/// allocator may keep what a load has freed between two small blocks that live on.
enum Chunk {
    private static let largeByteCount = 1 << 20

    /// `byteCount` bytes, aligned to 16. Traps when there is no memory, as allocation does everywhere.
    static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        if byteCount < largeByteCount {
            return .allocate(byteCount: byteCount, alignment: 16)
        }
        let start = unsafe mmap(
            nil,
            byteCount,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANON,
            -1,
            0
        )
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            fatalError("There is no memory for \(byteCount) bytes.")
        }
        return unsafe start
    }

    static func free(_ chunk: UnsafeMutableRawPointer, byteCount: Int) {
        if byteCount < largeByteCount {
            unsafe chunk.deallocate()
        } else {
            unsafe munmap(chunk, byteCount)
        }
    }
}
