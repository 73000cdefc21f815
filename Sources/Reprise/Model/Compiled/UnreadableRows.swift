internal import RepriseLMDB

/// Tells of the rows that lists leave out, because a Swift type of the program does not have a value in them: once for
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
        let place: Place
        switch error.cause {
        case .unknownRawValue(let attribute, _, let row), .unreadableValue(let attribute, _, let row):
            place = Place(attribute: attribute, row: row)
        default: return
        }
        let isNew = known.withLock { known in
            known.count < Self.countMax && known.insert(place).inserted
        }
        if isNew { tell(error) }
    }
}
