extension SchemaPlan {
    /// How far a change of the schema is that has to look at rows (STO-94).
    public struct Progress: Sendable, Hashable {
        /// How many rows were looked at; a row counts for each thing that is made of it.
        public let rowCount: Int
        /// How many there are to look at; at least ``rowCount``. Writing new indexes comes after the last one.
        public let totalCount: Int
        /// The time since the change began.
        public let elapsed: Duration

        /// Rows a second so far; 0 at the beginning.
        public var rowsPerSecond: Double {
            let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
            return seconds > 0 ? Double(rowCount) / seconds : 0
        }

        /// About how long it will take from here; nil at the beginning.
        public var remaining: Duration? {
            rowsPerSecond > 0 ? .seconds(Double(totalCount - rowCount) / rowsPerSecond) : nil
        }
    }
}
