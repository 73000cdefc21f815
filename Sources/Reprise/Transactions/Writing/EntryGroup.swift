/// Entries of a list that shall stand one behind the other, and where.
package struct EntryGroup: Sendable, Hashable {
    /// The entries in their order, each once.
    package let entries: [EntryID]
    /// The entry directly behind which they come; nil for the front of the list. It stays where it is.
    package let anchor: EntryID?
    /// As if for how many the gap is shared out: more than there are entries where others are to follow behind these.
    package let share: Int

    /// - Parameters:
    ///   - entries: the entries in their order, each once.
    ///   - anchor: the entry directly behind which they come; nil for the front of the list.
    ///   - share: as if for how many entries the gap is shared out; fewer than there are count as many as there are.
    package init(_ entries: [EntryID], behind anchor: EntryID?, share: Int = 0) {
        self.entries = entries
        self.anchor = anchor
        self.share = max(share, entries.count)
    }
}
