import Synchronization

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
    /// A word for each page, zero where it was not checked; memory is taken for a word when it is first used. Where
    /// the system does not give so many addresses, one word, which stays zero: then every page is checked each time.
    private let memory: AddressSpace
    /// Which bits of a page's number tell its word: all, or none.
    let mask: UInt64

    /// - Throws: `.outOfMemory` where there is not even one page of it. One page in 512 is what this takes, as far as
    ///   pages are read.
    init(count: Int, path: String) throws(LMDBError) {
        self.count = UInt64(count)
        let stride = MemoryLayout<Atomic<UInt64>>.stride
        do throws(LMDBError) {
            memory = try AddressSpace(byteCount: max(count, 1) * stride, .readAndWrite)
            mask = .max
        } catch {
            guard let one = try? AddressSpace(byteCount: stride, .readAndWrite) else {
                throw LMDBError(
                    code: .outOfMemory,
                    rawCode: error.rawCode,
                    operation: "remember which pages were checked",
                    path: path
                )
            }
            memory = one
            mask = 0
        }
    }

    /// The words, which live as long as this does.
    var pointer: UnsafeMutablePointer<Atomic<UInt64>> {
        let count = memory.byteCount / MemoryLayout<Atomic<UInt64>>.stride
        return unsafe memory.start.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    /// The edge to the page under node `index` of page `number`.
    @inline(__always)
    static func edge(_ number: UInt64, _ index: Int) -> Edge {
        number << 16 | UInt64(truncatingIfNeeded: index)
    }
}
