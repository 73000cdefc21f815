internal import RepriseLMDB

/// Tells of the rows that lists leave out, because an enum of the program does not have a raw value in them: once for
/// each row and attribute (VAL-30).
final class UnreadableRows: Sendable {
    private struct Place: Hashable {
        let attribute: String
        let row: EntityReference
    }

    /// After so many nothing more is told: their number is not bounded by anything.
    static let countMax = 10_000

    private let known = Guarded<Set<Place>>([])
    private let tell: @Sendable (StoreError) -> Void

    init(_ tell: @escaping @Sendable (StoreError) -> Void) {
        self.tell = tell
    }

    /// Takes note of a row that was left out because of this error.
    func note(_ error: StoreError) {
        guard case .unknownRawValue(let attribute, _, let row)? = error.cause else { return }
        let isNew = known.withLock { known in
            known.count < Self.countMax && known.insert(Place(attribute: attribute, row: row)).inserted
        }
        if isNew { tell(error) }
    }
}
