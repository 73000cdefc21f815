/// What happens to the partners when an entity at one end of a relationship is deleted.
///
/// There is no `noAction`: it would leave references that lead nowhere.
public enum DeleteRule: UInt8, Sendable, Hashable {
    /// The partners forget it: a to-one becomes nil, a list loses the entry.
    case nullify = 0
    /// The partners are deleted too.
    case cascade = 1
    /// The deletion is refused while there are partners.
    case deny = 2
}
