internal import RepriseLMDB
internal import RepriseLog

/// What a rollback did.
public struct RollbackReport: Sendable, Hashable {
    /// The position whose state was left.
    public let from: Position
    /// The position whose state is the present one again.
    public let to: Position
    /// The head of the log afterwards: the position of the rollback's own event.
    public let head: Position
    /// How many rows were brought back, changed or removed.
    public let changedCount: Int
    /// The digest of the state, the same as at `to`.
    public let digest: StateDigest
}

extension Store {
    /// Makes the present state equal to that at a point in the past, in one commit.
    ///
    /// Nothing is erased: the rollback is an event of its own (HIS-20 to HIS-26). What came after `point` stays in
    /// the log, can be read with ``read(asOf:_:)`` and can be brought back by rolling back to a position among it.
    /// Snapshots and annotations stay as they are.
    ///
    /// - Parameters:
    ///   - point: the state that is wanted.
    ///   - head: the head of the log as the caller knows it; nil where it makes no difference what has been written
    ///     since.
    /// - Throws: `unknownPosition`, `unknownSnapshot`; `revisionConflict` where the head is another one than `head`
    ///   (HIS-27), `corrupted` when the state that was arrived at does not have the digest that the log recorded for it
    ///   (nothing is changed then).
    /// - Complexity: O(changes between `point` and now · log n), whatever the size of the store.
    @discardableResult
    public func rollback(
        to point: Point,
        expecting head: Position? = nil,
        context: CommitContext = CommitContext(intent: "rollback")
    ) throws -> RollbackReport {
        try wrapped {
            try writer.perform {
                try self.commit(context) { session in
                    let workspace = session.workspace
                    let present = session.builder.nextPosition - 1
                    if let head, head != Position(present) {
                        throw Self.headMoved(from: head, to: Position(present))
                    }
                    let state = try StoreState.read(workspace.base, self.tables)
                    let target = try self.position(of: point, workspace.base, state)
                    try self.travel(workspace, from: present, to: target, workspace.base)
                    let log = LogReader(workspace.base, table: self.tables.log)
                    let expected = try log.commit(holding: target)?.digest ?? .zero
                    // HIS-24: prove that the past was met before anything is kept.
                    guard expected == workspace.digest else {
                        throw StoreError.damage(
                            "The state at position \(target) does not have the digest that the log recorded for it."
                        )
                    }
                    let changed = workspace.rows.count
                    let position = try session.record(.rolledBack) { $0.varint(target) }
                    let key = LabelKey.rollback(at: position)
                    workspace.labels.set(key, to: LabelValue.rollback(to: target, key: key))
                    return RollbackReport(
                        from: Position(present),
                        to: Position(target),
                        head: Position(position),
                        changedCount: changed,
                        digest: StateDigest(workspace.digest)
                    )
                }
            }
        }
    }

    private static func headMoved(from expected: Position, to actual: Position) -> StoreError {
        StoreError(
            .revisionConflict,
            "The head of the log is \(actual) and not \(expected): somebody has written since.",
            advice: "Look at what has been written, and roll back again if it may go.",
            cause: .headMoved(expected: expected, actual: actual)
        )
    }
}
