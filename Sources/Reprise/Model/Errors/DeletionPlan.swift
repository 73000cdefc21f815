/// All that a deletion does, or what forbids it.
///
/// `plan(delete:)` returns one without changing anything; `delete` returns the one that it carried out. What it lists
/// is recorded in the log as events, each with its cause, so a replay does not depend on the rules of a later schema.
public struct DeletionPlan: Sendable, Equatable {
    /// What goes: the entity itself first, then what `cascade` takes along, nearest first.
    public internal(set) var deleted: [EntityReference] = []
    /// To-one references that become nil.
    public internal(set) var nullified: [NullifiedReference] = []
    /// List entries that are removed from lists that stay.
    public internal(set) var unlinked: [UnlinkedEntry] = []
    /// What forbids the deletion. When it is not empty nothing is deleted.
    public internal(set) var deniedBy: [Denial] = []

    /// Whether the deletion is forbidden.
    public var isDenied: Bool { !deniedBy.isEmpty }

    /// A to-one reference to something that is deleted.
    public struct NullifiedReference: Sendable, Hashable {
        /// What refers to it.
        public let entity: EntityReference
        /// The stored name of the to-one.
        public let attribute: String
    }

    /// A list entry that points to something that is deleted.
    public struct UnlinkedEntry: Sendable, Hashable {
        /// Whose list it is.
        public let owner: EntityReference
        /// The stored name of the list.
        public let relationship: String
        /// The entry that is taken out.
        public let entry: EntryID
    }

    /// A relationship with the rule `deny` that is not empty.
    public struct Denial: Sendable, Hashable {
        /// What would be deleted, and may not be.
        public let entity: EntityReference
        /// The relationship that forbids it, as named on that entity's model; a relationship that is declared on the
        /// other side only is named `model.relationship`.
        public let relationship: String
        /// What is still on the other end.
        public let partner: EntityReference
    }
}
