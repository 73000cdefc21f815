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
    /// Up to which version of the schema the rows have been through its code
    /// (``Schema/change(to:keepsOlderCode:_:)``). Where that is lower than ``schemaVersion``, they are in the form that
    /// they had before the code of the versions between, which does not run again.
    public let rowVersion: Int
    /// The version of the schema, which a rollback leaves as it is.
    public let schemaVersion: Int
}

extension TimeTravel {
    /// Up to which version of the schema the rows of a state have been through its code, and that of the schema now.
    func versions(at position: UInt64) throws -> (rows: Int, schema: Int) {
        let history = try SchemaHistory(of: state, reader, tables)
        let live = try Timeline(reader, tables[state.viewSet]).liveRanges(upTo: position)
        var version: UInt32 = 0
        // The oldest declaration first: one whose code was left out is not made good by a later one.
        for (declared, schema) in zip(history.positions, [history.present] + history.earlier).reversed() {
            if !live.contains(where: { $0.contains(declared) }), schema.version > version { break }
            version = max(version, schema.version)
        }
        return (Int(version), Int(history.present.version))
    }
}

extension WriteSession {
    /// Makes the present state equal to that at a point in the past, and notes it in the log.
    ///
    /// - Parameters:
    ///   - travel: finds its way on the tables of this session.
    ///   - byteCountMax: how much memory the changes may take; more is ``TimeTravel/IsTooLarge``.
    ///   - check: looks at the rows that come back from before a change of the schema.
    func rollBack(
        to point: Point,
        expecting head: Position?,
        _ travel: TimeTravel,
        byteCountMax: Int,
        checking check: () throws -> Void
    ) throws -> RollbackReport {
        let present = builder.nextPosition - 1
        if let head, head != Position(present) {
            throw Self.headMoved(from: head, to: Position(present))
        }
        let target = try travel.position(of: point)
        let versions = try travel.versions(at: target)
        try travel.travel(
            workspace,
            from: present,
            to: target,
            byteCountMax: byteCountMax,
            isWritten: true
        )
        let log = LogReader(workspace.base, table: travel.tables.log, head: travel.state.log.head)
        let expected = try log.commit(holding: target)?.digest ?? .zero
        // HIS-24: prove that the past was met before anything is kept.
        guard expected == workspace.digest else {
            throw StoreError.damage(
                "The state at position \(target) does not have the digest that the log recorded for it."
            )
        }
        if schema.position > target { try check() }
        let changed = workspace.rows.count
        let position = try record(.rolledBack) { $0.varint(target) }
        let key = LabelKey.rollback(at: position)
        workspace.labels.set(key, to: LabelValue.rollback(to: target, key: key))
        return RollbackReport(
            from: Position(present),
            to: Position(target),
            head: Position(position),
            changedCount: changed,
            digest: StateDigest(workspace.digest),
            rowVersion: versions.rows,
            schemaVersion: versions.schema
        )
    }

    static func headMoved(from expected: Position, to actual: Position) -> StoreError {
        StoreError(
            .revisionConflict,
            "The head of the log is \(actual) and not \(expected): somebody has written since.",
            advice: "Look at what has been written, and roll back again if it may go.",
            cause: .headMoved(expected: expected, actual: actual)
        )
    }
}
