extension ChangeSet {
    /// What came of taking changes back, of restoring an entity, or of applying a change set.
    public struct Report: Sendable {
        /// The position of the last event of the commit that was made; nil where nothing was written, because a
        /// conflict is open or because nothing is different.
        public let commit: Position?
        /// The last positions of the commits that were taken back, the newest first; empty where no commit was.
        public let takenBack: [Position]
        /// How many entities and entries were changed; where a conflict is open, would be if ours settled all of them.
        public let counts: ChangeSet.Counts
        /// The conflicts that are open. Where there is one, nothing was written.
        public let conflicts: ChangeSet.Conflicts
        /// The conflicts that the resolution has settled.
        public let settled: ChangeSet.Conflicts

        /// Whether no conflict is open, so that what was asked for has been done, but for what ``settled`` has left as
        /// it is.
        public var isDone: Bool { conflicts.isEmpty }
    }
}
