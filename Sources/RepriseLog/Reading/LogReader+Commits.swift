extension LogReader {
    /// The commit that the event at `position` belongs to; `nil` for 0 and for positions after the
    /// last.
    ///
    /// - Throws: as `block(holding:)`, and `.chainBroken` when blocks of one commit contradict each
    ///   other.
    /// - Complexity: O(log n + blocks of the commit); only its first and last block and that of
    ///   `position` are hashed.
    package func commit(holding position: UInt64) throws(LogError) -> CommitView? {
        var cursor = try cursor()
        guard let block = try block(holding: position, cursor: &cursor) else { return nil }
        let last = try lastBlock(ofCommitWith: block, cursor: &cursor)
        let first = try firstBlock(ofCommitWith: block, cursor: &cursor)
        guard let metadata = try first.metadata() else {
            throw block.chainBroken("it names a block as the first of its commit that is not")
        }
        return CommitView(
            firstPosition: first.firstPosition,
            lastPosition: last.lastPosition,
            metadata: metadata,
            digest: last.digest,
            hash: last.hash
        )
    }

    private func firstBlock(
        ofCommitWith block: BlockView,
        cursor: inout BlockCursor
    ) throws(LogError) -> BlockView {
        if block.isFirstOfCommit { return block }
        guard try cursor.seek(exactly: block.commitFirstPosition) else {
            throw LogError(.missingPosition, position: block.commitFirstPosition)
        }
        return try cursor.block()
    }

    /// - Parameter cursor: stands at `block`.
    private func lastBlock(
        ofCommitWith block: BlockView,
        cursor: inout BlockCursor
    ) throws(LogError) -> BlockView {
        var present = block
        while !present.isLastOfCommit {
            guard try cursor.next() else {
                throw present.chainBroken("the log ends with it although its commit goes on")
            }
            let next = try cursor.uncheckedBlock()
            try next.validate(follows: present)
            try next.validate(continuesCommitOf: present)
            present = next
        }
        return present.firstPosition == block.firstPosition ? block : try cursor.block()
    }

    /// Hands out the commits that hold any position from `first` to `last`, as far as the log
    /// reaches.
    ///
    /// - Parameters:
    ///   - reversed: `true` for the last commit first.
    ///   - body: returns `false` to stop.
    /// - Throws: what `body` throws, and as `commit(holding:)`.
    package func forEachCommit(
        from first: UInt64,
        to last: UInt64,
        reversed: Bool = false,
        _ body: (CommitView) throws -> Bool
    ) throws {
        let first = max(first, 1)
        if reversed {
            var position = min(last, try head())
            while position >= first, let commit = try commit(holding: position), try body(commit) {
                position = commit.firstPosition - 1
            }
        } else {
            var position = first
            while position <= last, let commit = try commit(holding: position), try body(commit) {
                position = commit.lastPosition + 1
            }
        }
    }

    /// The position of the log's last event; 0 when it is empty.
    ///
    /// - Throws: as `block(holding:)`.
    package func head() throws(LogError) -> UInt64 {
        var cursor = try cursor()
        return try cursor.last() ? cursor.block().lastPosition : 0
    }
}

extension BlockView {
    /// Checks that this block can be the one after `previous` in one commit.
    func validate(continuesCommitOf previous: BlockView) throws(LogError) {
        guard !isFirstOfCommit, commitFirstPosition == previous.commitFirstPosition,
            timeMicroseconds == previous.timeMicroseconds, schema == previous.schema
        else { throw chainBroken("it is not of the commit that the block before it began") }
    }
}
