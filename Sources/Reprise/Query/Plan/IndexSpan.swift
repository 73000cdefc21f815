/// What of an index a query has to look at, and what is known of the rows found there.
struct IndexSpan {
    let index: CompiledIndex
    /// Ascending, not overlapping.
    var ranges: [KeyRange]
    /// How many leading components have one value throughout.
    var fixedCount: Int
    /// What all keys begin with: the number of the index and the fixed components.
    var fixedPrefix: [UInt8]
    /// Whether conditions leave only a part of the values of the component behind the fixed ones.
    var boundsBeyondFixed = false
    /// The conditions, by their place among the query's, that every entry fulfils: they need not be asked again.
    var answered: Set<Int>

    /// All of an index.
    init(index: CompiledIndex) {
        self.index = index
        ranges = [.beginning(with: index.keyPrefix)]
        fixedCount = 0
        fixedPrefix = index.keyPrefix
        answered = []
    }

    /// Whether the entries come in the order of their identifiers: all have the same components.
    var isInIdentifierOrder: Bool { fixedCount == index.slots.count && ranges.count <= 1 }
}

/// Finds the stretches of indexes that hold everything that fulfils a list of conditions.
struct SpanBuilder {
    /// How many stretches one query may have: `in` with many values on several components multiplies.
    static let rangeCountMax = 1000

    let model: CompiledModel
    let compiler: FilterCompiler
    private var bounds: [String: FieldBounds] = [:]

    init(_ conditions: [FilterExpression], model: CompiledModel, compiler: FilterCompiler) {
        self.model = model
        self.compiler = compiler
        for (place, condition) in conditions.enumerated() {
            guard let (name, test) = bound(condition) else { continue }
            bounds[name, default: FieldBounds()].narrow(test, place)
        }
    }

    /// The field of the row itself that a condition bounds, and how.
    private func bound(_ condition: FilterExpression) -> (String, FieldBounds.Test)? {
        switch condition {
        case .compare(let path, let comparison, let value) where path.components.count == 1:
            let name = path.components[0]
            if value.isNull {
                return comparison == .equal ? (name, .points([.null])) : nil
            }
            switch comparison {
            case .equal: return (name, .points([value]))
            case .less: return (name, .upper(value, isIncluded: false))
            case .lessOrEqual: return (name, .upper(value, isIncluded: true))
            case .greater: return (name, .lower(value, isIncluded: false))
            case .greaterOrEqual: return (name, .lower(value, isIncluded: true))
            case .notEqual: return nil
            }
        case .isIn(let path, let values) where path.components.count == 1:
            return (path.components[0], .points(values))
        case .isNil(let path) where path.components.count == 1:
            return (path.components[0], .points([.null]))
        case .not(.isNil(let path)) where path.components.count == 1:
            return (path.components[0], .present)
        // "Not true" is false, or nil where that can be.
        case .not(.compare(let path, .equal, .bool(let value))) where path.components.count == 1:
            let isOptional = model.attribute(named: path.components[0])?.isOptional ?? true
            return (path.components[0], .points([.bool(!value)] + (isOptional ? [.null] : [])))
        case .startsWith(let path, let text) where path.components.count == 1:
            return (path.components[0], .prefix(text))
        default: return nil
        }
    }

    /// The rows that the conditions on the identifier leave: their identifiers, or a stretch of the table. Nil where
    /// there is no condition on it.
    func identifiers() -> IdentifierBounds? {
        guard model.attribute(named: "id") == nil, let bounds = bounds["id"] else { return nil }
        return bounds.identifiers(of: model.number)
    }

    /// The stretch of an index that the conditions leave; nil where they leave all of it.
    func span(of index: CompiledIndex) throws(StoreError) -> IndexSpan? {
        var prefixes: [[UInt8]] = [[UInt8(index.number >> 8), UInt8(index.number & 0xFF)]]
        var span = IndexSpan(index: index)
        var isBounded = false
        var areAllFixed = true
        for (slot, type) in zip(index.slots, index.types) {
            guard let name = model.attribute(slot: slot)?.name, let bounds = bounds[name] else {
                break
            }
            let encoder = ComponentEncoder(
                compiler: compiler,
                path: [name],
                type: type,
                componentCount: index.slots.count
            )
            isBounded = true
            if let points = bounds.points, prefixes.count * points.count <= Self.rangeCountMax {
                let keys = try encoder.points(points)
                prefixes = prefixes.flatMap { prefix in keys.bytes.map { prefix + $0 } }
                if points.count == 1, keys.isExact, areAllFixed {
                    span.fixedCount += 1
                    span.fixedPrefix = prefixes[0]
                } else {
                    if areAllFixed { span.boundsBeyondFixed = true }
                    areAllFixed = false
                }
                // Behind a component that was cut nothing is in order any more.
                guard keys.isExact else { break }
                span.answered.formUnion(bounds.pointPlaces)
                continue
            }
            // Too many values for stretches of their own, and nil, which stands apart, among them.
            if bounds.points?.contains(where: \.isNull) == true { break }
            if areAllFixed { span.boundsBeyondFixed = true }
            let range = try encoder.range(bounds)
            span.answered.formUnion(range.answered)
            span.ranges = prefixes.map {
                KeyRange(lower: $0 + range.keys.lower, upper: $0 + range.keys.upper)
            }
            return span.sorted()
        }
        guard isBounded else { return nil }
        span.ranges = prefixes.map { KeyRange.beginning(with: $0) }
        return span.sorted()
    }
}

extension IndexSpan {
    fileprivate func sorted() -> IndexSpan {
        var copy = self
        copy.ranges = Array(Set(ranges.filter { !$0.isEmpty }))
            .sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        return copy
    }
}
