/// What the conditions of a query, joined by "and", leave of one field's values.
struct FieldBounds {
    enum Test {
        /// One of these values; ``Value/null`` for nil.
        case points([Value])
        case lower(Value, isIncluded: Bool)
        case upper(Value, isIncluded: Bool)
        case prefix(String)
        /// Any value, but one.
        case present
    }

    struct Bound {
        let value: Value
        let isIncluded: Bool
        /// The condition's place among those of the query.
        let place: Int
    }

    /// The only values that are left, where a condition names them.
    private(set) var points: [Value]?
    private(set) var pointPlaces: Set<Int> = []
    private(set) var lower: Bound?
    private(set) var upper: Bound?
    private(set) var prefix: (text: String, place: Int)?
    private(set) var presentPlaces: Set<Int> = []

    /// A second condition of a kind is kept only where it is the narrower; the other is asked of each row.
    mutating func narrow(_ test: Test, _ place: Int) {
        switch test {
        case .points(let values):
            guard points == nil || values.count < points!.count else { return }
            points = values
            pointPlaces = [place]
        case .lower(let value, let isIncluded):
            if let lower, Value.compare(lower.value, value) >= 0 { return }
            lower = Bound(value: value, isIncluded: isIncluded, place: place)
        case .upper(let value, let isIncluded):
            if let upper, Value.compare(upper.value, value) <= 0 { return }
            upper = Bound(value: value, isIncluded: isIncluded, place: place)
        case .prefix(let text):
            guard prefix.map({ text.utf8.count > $0.text.utf8.count }) ?? true else { return }
            prefix = (text, place)
        case .present: presentPlaces.insert(place)
        }
    }
}

/// What conditions on the identifier leave.
enum IdentifierBounds {
    /// These rows, ascending and each once; the condition at these places is answered.
    case points([[UInt8]], places: Set<Int>)
    /// A stretch of the table of rows.
    case range(KeyRange, places: Set<Int>)
}

extension FieldBounds {
    func identifiers(of model: UInt16) -> IdentifierBounds {
        if let points {
            var ids: Set<[UInt8]> = []
            for case .some(let id) in points.map(\.identifierBytes) { ids.insert(id) }
            return .points(
                ids.sorted { $0.lexicographicallyPrecedes($1) },
                places: pointPlaces
            )
        }
        let number = [UInt8(model >> 8), UInt8(model & 0xFF)]
        var range = KeyRange.beginning(with: number)
        var places: Set<Int> = presentPlaces
        if let lower, let id = lower.value.identifierBytes {
            // The next greater byte string is the same with a zero at its end.
            range.lower = number + id + (lower.isIncluded ? [] : [0])
            places.insert(lower.place)
        }
        if let upper, let id = upper.value.identifierBytes {
            range.upper = number + id + (upper.isIncluded ? [0] : [])
            places.insert(upper.place)
        }
        if let prefix {
            range = range.intersection(.beginning(with: number + Array(prefix.text.utf8)))
            places.insert(prefix.place)
        }
        return .range(range, places: places)
    }
}

extension Value {
    /// The bytes of an identifier given as text or as a reference.
    var identifierBytes: [UInt8]? {
        switch self {
        case .string(let id), .reference(let id): Array(id.utf8)
        default: nil
        }
    }
}
