/// One thing that the deletion of an entity does at first hand, or is forbidden by (REL-27).
///
/// ``StateReading/forEachConsequence(ofDeleting:_:)`` hands them over one by one, where a ``DeletionPlan`` holds all of
/// them, and all that follows from them.
package enum DeletionConsequence: Sendable, Hashable {
    /// An entity that goes as well, because of the rule `cascade`. What its deletion does in turn is not said.
    case deletes(EntityReference)
    /// A to-one of another entity that becomes nil.
    case nullifies(DeletionPlan.NullifiedReference)
    /// An entry that is taken out of a list of another entity.
    case unlinks(DeletionPlan.UnlinkedEntry)
    /// An entry of a list of the entity's own, which goes with it; a plan does not list these.
    case dropsEntry(DeletionPlan.UnlinkedEntry)
    /// What forbids the deletion, unless it goes along.
    case isDenied(DeletionPlan.Denial)
}
