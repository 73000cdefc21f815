#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The pages that a ``StructureWalk`` has met, each of which it meets once.
///
/// A set for a walk of a few pages; for the whole walk one bit for each page of the file. How many those are is what
/// the file says, so that no memory is asked for before it is known to be needed, and none is taken for granted.
@safe
struct MetPages: ~Copyable {
    private var few: Set<UInt64> = []
    private let bits: UnsafeMutablePointer<UInt64>?

    /// For a walk of a few pages.
    init() { unsafe bits = nil }

    /// For a walk of many pages, with numbers below `count`.
    ///
    /// - Throws: `.outOfMemory`. Zeros that are never looked at take none.
    init(count: Int, path: String) throws(LMDBError) {
        let wordCount = count / 64 + 1
        guard let memory = unsafe calloc(wordCount, MemoryLayout<UInt64>.stride) else {
            throw LMDBError(
                code: .outOfMemory,
                rawCode: ENOMEM,
                operation: "remember which pages were met",
                path: path
            )
        }
        unsafe bits = memory.bindMemory(to: UInt64.self, capacity: wordCount)
    }

    deinit { unsafe free(bits) }

    /// Notes a page. Returns whether it is met for the first time.
    mutating func insert(_ number: UInt64) -> Bool {
        guard let bits = unsafe bits else { return few.insert(number).inserted }
        let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
        if unsafe bits[word] & bit != 0 { return false }
        unsafe bits[word] |= bit
        return true
    }
}
