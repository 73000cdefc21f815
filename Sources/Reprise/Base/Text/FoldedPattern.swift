#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Text that is looked for in UTF-8 text where it lies, by what both are after folding.
///
/// Allocates nothing for a text, unless the pattern is longer than 256 bytes. Bytes that are not UTF-8 match
/// themselves.
struct FoldedPattern: Sendable {
    let folding: TextFolding
    /// The pattern, folded. When it is empty, it occurs everywhere.
    let bytes: [UInt8]
    private let table: FoldingTable?

    init(_ pattern: String, _ folding: TextFolding) {
        self.folding = folding
        bytes = folding.folded(pattern)
        table = folding.table
    }

    /// Whether the pattern occurs in the text. O(bytes of the text).
    func isContained(in text: UnsafeRawBufferPointer) -> Bool {
        guard let table else { return unsafe text.contains(bytes) }
        return unsafe bytes.withUnsafeBytes { pattern in
            guard pattern.count > 0 else { return true }
            return unsafe Self.withRoom(pattern.count) { room in
                var offset = 0
                var kept = 0
                while offset < text.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[kept...])
                    let filled = unsafe kept + table.fold(text, from: &offset, into: rest)
                    let piece = unsafe UnsafeRawBufferPointer(rebasing: room[..<filled])
                    if unsafe piece.contains(pattern) { return true }
                    // The pattern may begin in this piece and end in the next one.
                    kept = unsafe Self.keepEnd(of: room, filled, pattern.count - 1)
                }
                return false
            }
        }
    }

    /// Whether the text begins with the pattern. O(bytes of the pattern).
    func isPrefix(of text: UnsafeRawBufferPointer) -> Bool {
        guard let table else { return unsafe text.starts(with: bytes) }
        return unsafe matchesBeginning(of: text, table) >= bytes.count
    }

    /// Whether text and pattern are the same. O(bytes of the pattern).
    func equals(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let table else {
            return unsafe bytes.withUnsafeBytes { unsafe text.hasSameBytes(as: $0) }
        }
        return unsafe matchesBeginning(of: text, table) == bytes.count
    }

    /// Whether the text ends with the pattern. O(bytes of the text).
    func isSuffix(of text: UnsafeRawBufferPointer) -> Bool {
        guard let table else {
            guard text.count >= bytes.count else { return false }
            return unsafe text.suffix(bytes.count).elementsEqual(bytes)
        }
        return unsafe bytes.withUnsafeBytes { pattern in
            unsafe Self.withRoom(pattern.count) { room in
                var offset = 0
                var kept = 0
                while offset < text.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[kept...])
                    let filled = unsafe kept + table.fold(text, from: &offset, into: rest)
                    kept = unsafe Self.keepEnd(of: room, filled, pattern.count)
                }
                return unsafe kept == pattern.count
                    && pattern.hasSameBytes(as: UnsafeRawBufferPointer(rebasing: room[..<kept]))
            }
        }
    }

    /// Compares the folded text with the pattern. -1 when they differ within the pattern or the text is shorter, the
    /// pattern's length when they are equal, and more when the text goes on.
    private func matchesBeginning(of text: UnsafeRawBufferPointer, _ table: FoldingTable) -> Int {
        unsafe bytes.withUnsafeBytes { pattern in
            unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { room in
                var offset = 0
                var matched = 0
                while offset < text.count {
                    let count = unsafe table.fold(text, from: &offset, into: room)
                    let common = min(count, pattern.count - matched)
                    if common > 0,
                        unsafe memcmp(
                            room.baseAddress.unsafelyUnwrapped,
                            pattern.baseAddress.unsafelyUnwrapped + matched,
                            common
                        ) != 0
                    {
                        return -1
                    }
                    matched += common
                    if count > common { return matched + 1 }
                }
                return matched == pattern.count ? matched : -1
            }
        }
    }

    /// Moves the last `count` of the `filled` bytes to the front and returns how many there are.
    private static func keepEnd(
        of room: UnsafeMutableRawBufferPointer,
        _ filled: Int,
        _ count: Int
    ) -> Int {
        let kept = min(count, filled)
        if kept > 0, kept < filled, let base = room.baseAddress {
            unsafe _ = memmove(base, base + (filled - kept), kept)
        }
        return kept
    }

    /// Room for a piece of folded text behind what is kept of a pattern of this length.
    @inline(__always)
    private static func withRoom(
        _ patternByteCount: Int,
        _ body: (UnsafeMutableRawBufferPointer) -> Bool
    ) -> Bool {
        // A constant size, so that it is on the stack.
        if patternByteCount <= 256 {
            return unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) {
                unsafe body($0)
            }
        }
        return unsafe withUnsafeTemporaryAllocation(
            byteCount: patternByteCount * 2 + 1024,
            alignment: 8
        ) { unsafe body($0) }
    }
}
