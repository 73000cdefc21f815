extension Snapshot {
    /// The state at a position, kept as a file beside the store, from which reads of that state and of others near it
    /// begin.
    ///
    /// No store needs one: what it says follows from the log. The file may be copied to the checkpoints of another
    /// store with the same past, as a copy or a branch; its name stays the same.
    public struct Checkpoint: Sendable, Hashable {
        /// Why no read begins from a checkpoint.
        public enum Fault: Sendable, Hashable {
            /// The bytes are not those that were written.
            case damaged
            /// A newer version of Reprise has made it.
            case newerFormat
            /// It is no state of this store's log.
            case otherLog
            /// The schema has changed since it was made.
            case otherSchema
        }

        /// Where the file is.
        public let path: String
        /// The position whose state it is, as its name says.
        public let position: Position
        /// The digest of that state; nil where ``fault`` leaves it open.
        public let digest: StateDigest?
        /// How long the file is, in bytes.
        public let byteCount: Int
        /// The names of the snapshots of this position, sorted.
        public let snapshots: [String]
        /// Why no read begins from it; nil where reads do.
        public let fault: Fault?
    }
}
