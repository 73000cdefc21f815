/// How a query gets at its rows.
enum AccessPath {
    /// One row by its identifier.
    case identifier([UInt8])
    /// The entries of an index between two bounds.
    case index(IndexRange)
    /// All rows of the model, in the order of their identifiers.
    case scan
}

/// A stretch of an index. Bounds are inclusive and may be wider than the filter, which is always evaluated as well.
struct IndexRange {
    let index: CompiledIndex
    /// Where to begin.
    let lower: [UInt8]
    /// Keys belong to the range as long as their beginning is not greater than this.
    let upper: [UInt8]
    /// How many leading components have one value throughout.
    let fixedCount: Int

    func holds(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe upper.withUnsafeBytes { upper in
            let head = unsafe UnsafeRawBufferPointer(rebasing: key.prefix(upper.count))
            return unsafe head.order(against: upper) <= 0
        }
    }
}

/// Chooses the access path of a query. A pure function of filter and schema, which no result depends on (QRY-24).
struct AccessPlanner {
    let model: CompiledModel

    /// The conditions that every result fulfils, by field.
    private struct Bounds {
        var equal: Value?
        var lower: Value?
        var upper: Value?
    }

    func path(for filter: FilterExpression?, _ compiler: FilterCompiler) throws(StoreError)
        -> AccessPath
    {
        guard let filter else { return .scan }
        var bounds: [String: Bounds] = [:]
        gather(filter, into: &bounds)
        if case .string(let id)? = bounds["id"]?.equal, model.attribute(named: "id") == nil {
            return .identifier(Array(id.utf8))
        }
        var best: IndexRange?
        var bestScore = 0
        for index in model.indexes {
            guard let (range, score) = try range(of: index, bounds, compiler), score > bestScore
            else { continue }
            best = range
            bestScore = score
        }
        return best.map { .index($0) } ?? .scan
    }

    /// Takes what is joined by "and" apart; what stands under "or" and "not" bounds nothing.
    private func gather(_ filter: FilterExpression, into bounds: inout [String: Bounds]) {
        switch filter {
        case .and(let parts):
            for part in parts { gather(part, into: &bounds) }
        case .compare(let path, let comparison, let value)
        where path.components.count == 1 && !value.isNull:
            let name = path.components[0]
            switch comparison {
            case .equal: bounds[name, default: Bounds()].equal = value
            case .less, .lessOrEqual: bounds[name, default: Bounds()].upper = value
            case .greater, .greaterOrEqual: bounds[name, default: Bounds()].lower = value
            case .notEqual: break
            }
        case .isNil(let path) where path.components.count == 1:
            bounds[path.components[0], default: Bounds()].equal = .null
        default: break
        }
    }

    /// The stretch of an index that the bounds leave, and how good that is: two for each fixed component, one for each
    /// side of a range.
    private func range(
        of index: CompiledIndex,
        _ bounds: [String: Bounds],
        _ compiler: FilterCompiler
    ) throws(StoreError) -> (IndexRange, Int)? {
        var encoder = IndexKeyEncoder()
        encoder.begin(index: index.number, componentCount: index.slots.count)
        var fixedCount = 0
        var score = 0
        for (slot, type) in zip(index.slots, index.types) {
            guard let name = model.attribute(slot: slot)?.name, let bound = bounds[name] else {
                break
            }
            if let value = bound.equal {
                let wasCut = try append(value, type, name, compiler, to: &encoder)
                score += 2
                // Behind a cut component nothing is fixed any more.
                if wasCut { break }
                fixedCount += 1
                continue
            }
            let prefix = unsafe [UInt8](encoder.bytes)
            var lower = prefix + [1]
            let upper: [UInt8]
            if let value = bound.lower {
                var copy = IndexKeyEncoder()
                copy.begin(index: index.number, componentCount: index.slots.count)
                _ = try append(value, type, name, compiler, to: &copy)
                lower = unsafe prefix + [UInt8](copy.bytes).dropFirst(2)
                score += 1
            }
            if let value = bound.upper {
                var copy = IndexKeyEncoder()
                copy.begin(index: index.number, componentCount: index.slots.count)
                _ = try append(value, type, name, compiler, to: &copy)
                upper = unsafe prefix + [UInt8](copy.bytes).dropFirst(2)
                score += 1
            } else {
                // Everything that has a value in this component, whatever it is.
                upper = prefix + [1] + Array(repeating: 0xFF, count: 511)
            }
            return (
                IndexRange(index: index, lower: lower, upper: upper, fixedCount: fixedCount), score
            )
        }
        guard score > 0 else { return nil }
        let prefix = unsafe [UInt8](encoder.bytes)
        return (
            IndexRange(index: index, lower: prefix, upper: prefix, fixedCount: fixedCount), score
        )
    }

    private func append(
        _ value: Value,
        _ type: ValueType,
        _ name: String,
        _ compiler: FilterCompiler,
        to encoder: inout IndexKeyEncoder
    ) throws(StoreError) -> Bool {
        let path = FieldPath([name])
        let converted = try compiler.converted(value, type, path)
        do {
            return try encoder.append(converted, as: type)
        } catch {
            throw StoreError(
                .invalidQuery,
                "\(path) cannot be compared with this value: \(error)",
                advice: "Use a value of the attribute's type."
            )
        }
    }
}
