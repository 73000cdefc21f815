public import Reprise

extension Store {
    /// Makes one commit of what a closure does, and tells its events, each in a line.
    ///
    /// ```swift
    /// let events = try store.recording { try $0.delete(Folder.self, id: "f") }
    /// #expect(events == ["deleted folder f", "deleted note n because deleted folder f"])
    /// ```
    ///
    /// The lines are those of ``Reprise/EventRecord/line``. Nobody else may write to the store meanwhile.
    ///
    /// - Parameters:
    ///   - context: what the commit says of itself.
    ///   - body: makes the changes, through the transaction that it is given.
    /// - Returns: the events in their order; none where nothing is changed.
    /// - Throws: what `body` and the write throw.
    public func recording(
        _ context: CommitContext = CommitContext(),
        _ body: (inout WriteTransaction) throws -> Void
    ) throws -> [String] {
        let before = try write(context) { transaction in
            let before = transaction.position
            try body(&transaction)
            return before
        }
        return try read { state in
            var lines: [String] = []
            try state.forEachCommit(from: Position(rawValue: before.rawValue + 1)) { commit in
                let causes = Dictionary(uniqueKeysWithValues: commit.events.map { ($0.position, $0) })
                lines = commit.events.map { event in
                    let cause = event.cause.flatMap { causes[$0] }
                    return event.line + (cause.map { " because \($0.head)" } ?? "")
                }
                return false
            }
            return lines
        }
    }
}
