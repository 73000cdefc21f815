internal import RepriseLMDB
internal import RepriseLog

/// The state that a rebuild of the views leads to.
struct RebuildGoal: Sendable {
    /// A rollback that is part of the rebuild.
    struct Rollback: Sendable {
        /// The rollbacks before it.
        let timeline: Timeline
        /// The position whose state becomes the present one.
        let target: UInt64
    }

    /// Nil where the views are built for the head of the log as it is.
    let rollback: Rollback?
    /// The digest that the log recorded for the state.
    let digest: Digest256
    /// What is wrong where the views have another digest.
    let digestFailure: String
    /// Adds to the log, and to the state record, in the transaction that swaps the views in.
    let seal: @Sendable (inout StoreState, borrowing TableWriter) throws -> Void

    /// The present state.
    static func head(of state: StoreState) -> RebuildGoal {
        RebuildGoal(
            rollback: nil,
            digest: state.headDigest,
            digestFailure: "The log does not fold to the digest that the store recorded.",
            seal: { _, _ in }
        )
    }
}
