extension ChangeSet {
    /// What becomes of one entity between two states, as values of its Swift type.
    public struct ModelChange<M: Model>: Sendable {
        /// The entity before; nil where it appears.
        public let old: M?
        /// The entity afterwards; nil where it goes.
        public let new: M?
    }
}
