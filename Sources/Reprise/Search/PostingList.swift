internal import RepriseLMDB

/// The entries of one word in a search index, or of all words with one beginning, in the order of the table.
@safe
final class PostingList {
    private var cursor: Cursor
    private var target = KeyBuffer()
    /// What all keys of the list begin with.
    private let prefix: [UInt8]
    private let isPrefix: Bool
    /// Whether there is an entry here.
    private(set) var isThere = false
    /// Where in the key the identifier begins.
    private var idOffset = 0

    /// Begins at the first entry.
    init(
        of word: SearchQuery.Word,
        in search: SearchDescription,
        _ base: TableReader,
        _ table: Table
    ) throws {
        cursor = try base.cursor(table)
        isPrefix = word.isPrefix
        prefix =
            [UInt8(search.number >> 8), UInt8(truncatingIfNeeded: search.number)] + word.bytes
            + (word.isPrefix ? [] : [0])
        let found = try unsafe prefix.withUnsafeBytes { try unsafe cursor.seek(atOrAfter: $0) }
        try arrive(found)
    }

    /// The identifier of the entry; valid until the list moves on.
    var id: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: cursor.key[idOffset...])
    }

    /// The word of the entry with what is before it; valid until the list moves on.
    var head: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: cursor.key[..<idOffset])
    }

    func value() throws -> PostingValue { try unsafe PostingValue(cursor.value) }

    func next() throws {
        try arrive(cursor.next())
    }

    /// Goes on to the first entry whose identifier is not less; the list is one of a whole word. O(1) when it is near,
    /// else O(log n).
    func seek(atLeast id: UnsafeRawBufferPointer) throws {
        for _ in 0..<8 {
            guard isThere, unsafe self.id.precedes(id) else { return }
            try next()
        }
        guard isThere, unsafe self.id.precedes(id) else { return }
        target.removeAll()
        unsafe prefix.withUnsafeBytes { unsafe target.append($0) }
        unsafe target.append(id)
        try arrive(unsafe cursor.seek(atOrAfter: target.bytes))
    }

    private func arrive(_ found: Bool) throws {
        isThere = false
        guard found else { return }
        let key = unsafe cursor.key
        let begins = unsafe prefix.withUnsafeBytes { prefix in
            unsafe key.count >= prefix.count
                && UnsafeRawBufferPointer(rebasing: key[..<prefix.count]).hasSameBytes(as: prefix)
        }
        guard begins else { return }
        isThere = true
        guard isPrefix else {
            idOffset = prefix.count
            return
        }
        var end = prefix.count
        while end < key.count, unsafe key[end] != 0 { end += 1 }
        guard end < key.count else {
            throw StoreError.damage("An entry of a search index has no end of its word.")
        }
        idOffset = end + 1
    }
}
