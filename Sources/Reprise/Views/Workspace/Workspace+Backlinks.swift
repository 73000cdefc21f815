internal import RepriseLMDB
internal import RepriseLog

/// Walking ways back one by one, without gathering them.
extension Workspace {
    /// Hands over the ways back from a target of a many-to-many relation, by owner, and those of one owner in the order
    /// of its list; `body` returns false to stop, and may read, not change.
    ///
    /// Beside the changes in memory to these ways it takes no memory that grows. O(ways handed over), and those that
    /// are changed in memory.
    ///
    /// - Returns: whether it came to the end.
    @discardableResult
    func forEachBacklink(of target: ListKey, _ body: (Backlink) throws -> Bool) throws -> Bool {
        try settle()
        let changes = backlinks[target]
        var added: [Backlink] = []
        changes?.forEachChange { backlink, isPresent in if isPresent { added.append(backlink) } }
        added.sort { $1.isBefore($0) }
        var prefix = KeyBuffer()
        prefix.setList(target)
        let prefixCount = prefix.count
        var cursor = try base.cursor(tables.backlinks)
        var isThere = try unsafe cursor.seek(atOrAfter: prefix.bytes)
        while isThere, unsafe cursor.key.starts(with: prefix.bytes) {
            var rest = unsafe KeyParser(cursor.key, skipping: prefixCount)
            let backlink = Backlink(owner: try rest.identifier(), orderKey: try rest.number())
            while let next = added.last, next.isBefore(backlink) {
                added.removeLast()
                guard try body(next) else { return false }
            }
            if changes?[backlink] == nil {
                guard try body(backlink) else { return false }
            }
            isThere = try cursor.next()
        }
        for backlink in added.reversed() {
            guard try body(backlink) else { return false }
        }
        return true
    }
}

extension Backlink {
    /// Whether it comes before another one of the same target in the table.
    fileprivate func isBefore(_ other: Backlink) -> Bool {
        owner == other.owner
            ? orderKey < other.orderKey : owner.lexicographicallyPrecedes(other.owner)
    }
}
