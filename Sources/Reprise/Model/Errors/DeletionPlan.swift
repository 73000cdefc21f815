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

    public var isDenied: Bool { !deniedBy.isEmpty }

    /// A to-one reference to something that is deleted.
    public struct NullifiedReference: Sendable, Hashable {
        public let entity: EntityReference
        public let attribute: String
    }

    /// A list entry that points to something that is deleted.
    public struct UnlinkedEntry: Sendable, Hashable {
        public let owner: EntityReference
        public let relationship: String
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
