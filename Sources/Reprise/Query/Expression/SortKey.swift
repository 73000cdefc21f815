/// Where rows without a value stand in an order.
public enum NilPlacement: String, Hashable, Sendable, CaseIterable {
    case first
    case last
}

/// One key to sort by. Ties are broken by the next key, and in the end by the identifier, ascending.
public struct SortKey: Hashable, Sendable {
    public var path: FieldPath
    /// Whether the largest value comes first.
    public var isDescending: Bool
    /// Where nil stands, whatever the direction; without it nil is the smallest value: first in ascending order, last
    /// in descending order.
    public var nilPlacement: NilPlacement?

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
