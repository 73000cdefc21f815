/// What the log knows about one commit, copied out.
package struct CommitView: Sendable, Equatable {
    /// The position of its first event.
    package let firstPosition: UInt64
    /// The position of its last event.
    package let lastPosition: UInt64
    /// What it says about itself.
    package let metadata: CommitMetadata
    /// The digest of the state after it.
    package let digest: Digest256
    /// The hash of its last block, which through the chain covers everything up to it.
    package let hash: Digest256

    package init(
        firstPosition: UInt64,
        lastPosition: UInt64,
        metadata: CommitMetadata,
        digest: Digest256,
        hash: Digest256
    ) {
        self.firstPosition = firstPosition
        self.lastPosition = lastPosition
        self.metadata = metadata
        self.digest = digest
        self.hash = hash
    }

    /// How many events it holds, at least 1.
    package var eventCount: Int { Int(lastPosition - firstPosition) + 1 }
}
