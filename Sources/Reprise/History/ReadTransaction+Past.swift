internal import RepriseLMDB
internal import RepriseLog

/// What has led to a state.
extension ReadTransaction {
    /// The stretches of the log whose events have led to the state that is read, ascending: what a rollback took back
    /// is in none of them (HIS-46).
    ///
    /// So a program whose annotations survive rollbacks (HIS-23) can tell which of them still count.
    ///
    /// - Throws: ``StoreError``: `corrupted` where the views cannot be read.
    /// - Complexity: O(rollbacks).
    package func liveRanges() throws -> [ClosedRange<Position>] {
        try access.run {
            let workspace = access.workspace
            return try Timeline(of: workspace)
                .liveRanges(upTo: access.position)
                .map { Position($0.lowerBound)...Position($0.upperBound) }
        }
    }
}
