/// Where rows without a value stand in an order.
public enum NilPlacement: String, Hashable, Sendable, CaseIterable {
    /// Before rows with a value.
    case first
    /// After rows with a value.
    case last
}

/// One key to sort by. Ties are broken by the next key, and in the end by the identifier, ascending.
public struct SortKey: Hashable, Sendable {
    /// The attribute that is looked at; a path follows to-ones.
    public var path: FieldPath
    /// Whether the largest value comes first.
    public var isDescending: Bool
    /// Where nil stands, whatever the direction; without it nil is the smallest value: first in ascending order, last
    /// in descending order.
    public var nilPlacement: NilPlacement?

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - path: the attribute that is looked at.
    ///   - descending: whether the largest value comes first.
    ///   - nilPlacement: where nil stands; without it nil is the smallest value.
    public init(
        _ path: FieldPath,
        descending: Bool = false,
        nils nilPlacement: NilPlacement? = nil
    ) {
        self.path = path
        isDescending = descending
        self.nilPlacement = nilPlacement
    }

    /// Whether rows without a value come before those with one.
    var hasNilFirst: Bool {
        nilPlacement.map { $0 == .first } ?? !isDescending
    }
}
