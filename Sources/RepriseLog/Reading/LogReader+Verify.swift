extension LogReader {
    /// Checks the whole log: the hash of every block, the chain from block to block, positions
    /// without gap or overlap, where commits begin and end, the texts of every commit and the
    /// fields of every event.
    ///
    /// Goes on behind the head that this reader was given. A commit behind it that was begun and not finished is no
    /// part of the log, and no fault (LOG-09).
    ///
    /// - Parameters:
    ///   - head: the last position of the log, as the state of the store says; nil where there is none.
    ///   - progress: called with every block after it has been checked; cancels the check by throwing.
    /// - Returns: the state that the log is in, to be compared with the state that was recorded.
    /// - Throws: what `progress` throws; `.corruptBlock`, `.chainBroken`, `.missingPosition`,
    ///   `.unsupportedVersion` or `.lmdb` for the first fault in order of positions.
    /// - Complexity: O(bytes of the log), in constant memory.
    package func verifyChain(
        head: UInt64? = nil,
        progress: (BlockView) throws -> Void = { _ in }
    ) throws -> LogState {
        var cursor = try BlockCursor(reader, table, head: .max, verified: nil)
        var state = LogState.empty
        var complete = state
        var previous: BlockView?
        var isThere = try cursor.first()
        while isThere {
            let block = try cursor.block()
            try block.validate(follows: state.head, hash: state.lastHash)
            if let previous, !previous.isLastOfCommit {
                try block.validate(continuesCommitOf: previous)
            } else if !block.isFirstOfCommit {
                throw block.chainBroken("it goes on with a commit that has ended before it")
            }
            try block.validateContent()
            state.head = block.lastPosition
            state.lastHash = block.hash
            if block.isLastOfCommit {
                state.commitCount += 1
                complete = state
            }
            previous = block
            try progress(block)
            isThere = try cursor.next()
        }
        if let previous, !previous.isLastOfCommit {
            if complete.head == head { return complete }
            throw previous.chainBroken("the log ends with it although its commit goes on")
        }
        return state
    }
}

extension BlockView {
    /// Reads all that the block holds.
    ///
    /// - Throws: `.corruptBlock` for the first thing that is malformed.
    package func validateContent() throws(LogError) {
        _ = try metadata()
        var cursor = events()
        while try cursor.next() != nil {}
    }
}
