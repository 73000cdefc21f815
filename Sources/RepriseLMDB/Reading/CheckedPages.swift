import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Which pages of the file were checked since it was opened, and as what.
///
/// A page is right or wrong only in its place: its keys have to lie between those of the page above, and a number that
/// was changed there may lead to another page that is sound. So a page is remembered together with the node that led
/// to it (its ``Edge``), and checked again when another one does. Pages that the file did not have when it was opened
/// were written since by processes that had checked it, and are not looked at.
///
/// Sendable, unchecked: its words are atomic, and what they say stays true whatever order they are seen in, because
/// pages that a reader can see do not change.
@safe
final class CheckedPages: @unchecked Sendable {
    /// The node that leads to a page: the number of the node's page and its index in it, or a table's handle.
    typealias Edge = UInt64

    /// The first page that was not in the file.
    let count: UInt64
    /// Zero where a page was not checked; a word is brought into memory when it is first used.
    private let edges: UnsafeMutablePointer<Atomic<UInt64>>

    /// - Throws: `.outOfMemory`. One page in 512 is what this takes, as far as pages are read.
    init(count: Int, path: String) throws(LMDBError) {
        guard let memory = unsafe calloc(max(count, 1), MemoryLayout<Atomic<UInt64>>.stride) else {
            throw LMDBError(
                code: .outOfMemory,
                rawCode: ENOMEM,
                operation: "remember which pages were checked",
                path: path
            )
        }
        unsafe edges = memory.bindMemory(to: Atomic<UInt64>.self, capacity: max(count, 1))
        self.count = UInt64(count)
    }

    deinit { unsafe free(edges) }

    /// The words, which live as long as this does.
    var pointer: UnsafeMutablePointer<Atomic<UInt64>> { unsafe edges }

    /// The edge to the page under node `index` of page `number`.
    @inline(__always)
    static func edge(_ number: UInt64, _ index: Int) -> Edge {
        number << 16 | UInt64(truncatingIfNeeded: index)
    }
}
