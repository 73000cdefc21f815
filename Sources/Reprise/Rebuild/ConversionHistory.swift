internal import RepriseLMDB
internal import RepriseLog

/// Which conversions the states of a store have come through (STO-86).
///
/// Nothing is marked in the rows: the log says which declarations a state has come through, and annotations say where
/// rows were converted again that a rollback had brought back.
struct ConversionHistory {
    private let schemas: [(position: UInt64, schema: SchemaDescription)]
    private let timeline: Timeline
    private let again: [UInt64]

    init(_ history: SchemaHistory, _ timeline: Timeline, _ labels: LabelScan) throws {
        schemas = Array(zip(history.positions, [history.present] + history.earlier))
        self.timeline = timeline
        again = try labels.positions(named: RowConversions.name)
    }

    /// The position of the declaration that has brought an attribute; nil where the store has never had it.
    func declaration(of place: ConvertedSlot) -> UInt64? {
        schemas.last { $0.schema.model(place.model)?.attribute(slot: place.slot) != nil }?.position
    }

    /// Those of some attributes that the state at a position does not have: it has come neither through the declaration
    /// of the attribute nor through a later conversion of rows that were brought back.
    func missing(_ places: [ConvertedSlot], at position: UInt64) -> UnconvertedAttributes {
        let live = timeline.liveRanges(upTo: position)
        func isLive(_ position: UInt64) -> Bool { live.contains { $0.contains(position) } }
        var missing = UnconvertedAttributes()
        for place in places {
            guard let declared = declaration(of: place) else {
                missing.insert(place, declaredAt: 0, isOlder: true)
                continue
            }
            if isLive(declared) || again.contains(where: { $0 > declared && isLive($0) }) { continue }
            missing.insert(place, declaredAt: declared, isOlder: position < declared)
        }
        return missing
    }

    /// Whether code of the program ran in the commit of a declaration (STO-93).
    func hasCode(at declaration: UInt64) -> Bool {
        guard let place = schemas.firstIndex(where: { $0.position == declaration }) else { return false }
        let earlier = place + 1 < schemas.count ? schemas[place + 1].schema.version : 0
        return schemas[place].schema.version > earlier
    }

    /// The positions from which on other attributes may be missing than before, ascending.
    var turns: [UInt64] { (schemas.map(\.position) + again + timeline.rollbacks.map(\.at)).sorted() }
}

extension LabelScan {
    /// The positions of all annotations of a name, whatever their keys.
    fileprivate func positions(named name: String) throws -> [UInt64] {
        var positions: [UInt64] = []
        try unsafe forEach(prefix: LabelKey.annotations(named: name)) { _, content in
            var content = content
            positions.append(try content.u64())
        }
        return positions
    }
}
