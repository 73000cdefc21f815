extension ChangeSet {
    /// What becomes of one entity between two states, by stored names.
    public struct EntityChange: Sendable, Hashable {
        /// What becomes of the entity itself.
        public enum Kind: String, Sendable, Hashable {
            /// It is not there before, and is afterwards.
            case inserted
            /// It is there before and afterwards, with other values, or only with other entries in its lists.
            case updated
            /// It is there before, and is not afterwards.
            case deleted
        }

        /// The entity.
        public let entity: EntityReference
        /// What becomes of it.
        public let kind: Kind
        /// Its attributes with the values before and afterwards, in the order of the schema; of an entity that appears
        /// or
        /// goes, those that have a value.
        public let fields: [EventRecord.Change]
        /// What becomes of entries: of the entity's own lists, and of its place in the lists of others that it belongs
        /// to
        /// by a to-one.
        public let entries: [ChangeSet.EntryChange]
    }

    /// What becomes of one entry of a list between two states.
    public struct EntryChange: Sendable, Hashable {
        /// What becomes of an entry.
        public enum Kind: String, Sendable, Hashable {
            /// It is in the list afterwards, and was not before.
            case linked
            /// It was in the list before, and is not afterwards.
            case unlinked
            /// It stands in another place of the list.
            case moved
        }

        /// What becomes of the entry.
        public let kind: Kind
        /// The stored name of the list.
        public let list: String
        /// Whose list it is.
        public let owner: EntityReference
        /// The entity that the entry leads to.
        public let target: EntityReference
        /// The identity of the entry.
        public let entry: EntryID
    }

    /// How many entities and entries a change concerns.
    public struct Counts: Sendable, Hashable {
        /// How many entities appear.
        public internal(set) var inserted = 0
        /// How many entities have other values, or other entries in their lists.
        public internal(set) var updated = 0
        /// How many entities go.
        public internal(set) var deleted = 0
        /// How many entries come into a many-to-many list of an entity that was there before.
        public internal(set) var linked = 0
        /// How many entries leave a many-to-many list of an entity that stays.
        public internal(set) var unlinked = 0
        /// How many entries stand in another place of a many-to-many list.
        public internal(set) var moved = 0

        /// How many entities there are in all.
        public var entities: Int { inserted + updated + deleted }

        /// The counts of the way back.
        func inverted() -> ChangeSet.Counts {
            var counts = self
            swap(&counts.inserted, &counts.deleted)
            swap(&counts.linked, &counts.unlinked)
            return counts
        }

        mutating func add(_ delta: EntityDelta) throws {
            switch delta.row {
            case .inserted: inserted += 1
            case .deleted: deleted += 1
            case .same, .updated:
                updated += 1
                try delta.entries.forEach { entry in
                    switch (entry.from, entry.to) {
                    case (nil, _): linked += 1
                    case (_, nil): unlinked += 1
                    default: moved += 1
                    }
                }
            }
        }
    }
}
