extension CommitRecord {
    /// One commit in the history of an entity: when, who, why, and from what to what.
    public struct EntityVersion: Sendable {
        /// A list of the entity's own before and after a commit.
        public struct ListChange: Sendable, Hashable {
            /// The stored name of the list.
            public let name: String
            /// The identifiers in it before, in order, repeats kept.
            public let from: [String]
            /// The identifiers in it afterwards.
            public let to: [String]
        }

        /// The commit, with those of its events that are about the entity.
        public let commit: CommitRecord
        /// What has become of the entity by the commit.
        public let change: ChangeSet.EntityChange
        /// The many-to-many lists of the entity that the commit has changed, as a whole; empty of a commit that is
        /// dead.
        public let lists: [ListChange]
        /// Whether the commit has led to the state that is read. A rollback has taken back those that have not.
        public let isLive: Bool
    }

    /// Which commit has made a field or a list of an entity what it is.
    public struct Blame: Sendable {
        /// The stored name of the attribute, to-one or list.
        public let name: String
        /// What it is; of a list the identifiers, in order.
        public let value: Value
        /// The commit, with those of its events that are about the entity.
        public let commit: CommitRecord
    }
}
