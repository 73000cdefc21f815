internal import Foundation
internal import Reprise

extension PredicateExpressions.Variable: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard let subject = translator.subjects[key] else {
            throw translator.untranslatable(self, "its variable is not known")
        }
        return .subject(subject)
    }
}

extension PredicateExpressions.KeyPath: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        let root = try translator.term(self.root)
        switch root {
        case .subject(.entity(let name)):
            guard let name = name(keyPath) else {
                throw translator.untranslatable(
                    self,
                    "\(keyPath) is no property that the schema declares"
                )
            }
            return .field([name])
        case .field(let path):
            guard let collection = Root.Output.self as? any CountedCollection.Type else { break }
            if collection.isCount(keyPath) { return .count(path) }
            if collection.isEmptiness(keyPath) { return .isEmpty(path) }
        default: break
        }
        throw translator.untranslatable(
            self,
            "only the properties of the model, and count and isEmpty of lists and sets, can be asked for"
        )
    }
}

/// A collection whose number of elements can be asked for.
private protocol CountedCollection {
    static func isCount(_ property: AnyKeyPath) -> Bool
    static func isEmptiness(_ property: AnyKeyPath) -> Bool
}

extension Array: CountedCollection {
    fileprivate static func isCount(_ property: AnyKeyPath) -> Bool {
        property == \[Element].count
    }
    fileprivate static func isEmptiness(_ property: AnyKeyPath) -> Bool {
        property == \[Element].isEmpty
    }
}

extension Set: CountedCollection {
    fileprivate static func isCount(_ property: AnyKeyPath) -> Bool {
        property == \Set<Element>.count
    }
    fileprivate static func isEmptiness(_ property: AnyKeyPath) -> Bool {
        property == \Set<Element>.isEmpty
    }
}

extension PredicateExpressions.Value: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        if let range = value as? any ConstantRange { return range.term }
        if let values = value as? any ConstantElements { return .constants(values.elements) }
        if let value = value as? any StoredValue { return .constant(Reprise.Value(value)) }
        throw translator.untranslatable(self, "a \(Output.self) cannot be stored")
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm { .constant(.null) }
}

/// A constant collection of values that can be stored.
private protocol ConstantElements {
    var elements: [Reprise.Value] { get }
}

extension Array: ConstantElements where Element: StoredValue {
    fileprivate var elements: [Reprise.Value] { map { Reprise.Value($0) } }
}

extension Set: ConstantElements where Element: StoredValue {
    fileprivate var elements: [Reprise.Value] { map { Reprise.Value($0) } }
}

/// A constant range of values that can be stored.
private protocol ConstantRange {
    var term: PredicateTerm { get }
}

extension ClosedRange: ConstantRange where Bound: StoredValue {
    fileprivate var term: PredicateTerm {
        .range(lower: .init(lowerBound), upper: .init(upperBound), isClosed: true)
    }
}

extension Range: ConstantRange where Bound: StoredValue {
    fileprivate var term: PredicateTerm {
        .range(lower: .init(lowerBound), upper: .init(upperBound), isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard case .constant(let lower) = try translator.term(self.lower),
            case .constant(let upper) = try translator.term(self.upper)
        else { throw translator.untranslatable(self, "its bounds have to be constants") }
        return .range(lower: lower, upper: upper, isClosed: true)
    }
}

extension PredicateExpressions.Range: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard case .constant(let lower) = try translator.term(self.lower),
            case .constant(let upper) = try translator.term(self.upper)
        else { throw translator.untranslatable(self, "its bounds have to be constants") }
        return .range(lower: lower, upper: upper, isClosed: false)
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePart {
    /// The field; where it has no value, it is nil here, and Foundation would throw.
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        try translator.term(inner)
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        let (left, right) = (try translator.term(lhs), try translator.term(rhs))
        guard case .constant(let other) = right else {
            throw translator.untranslatable(self, "what stands for nil has to be a constant")
        }
        switch left {
        case .field(let path): return .fieldOr(path, other)
        case .optionalCondition(let condition, of: let path):
            guard case .bool(let holds) = other else { break }
            let present = FilterExpression.and([.not(.isNil(path)), condition])
            return .condition(holds ? .or([present, .isNil(path)]) : present)
        default: break
        }
        throw translator.untranslatable(self, "only a field can be replaced where it is nil")
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard case .field(let path) = try translator.term(wrapped) else {
            throw translator.untranslatable(self, "only a field can be unwrapped")
        }
        var inner = translator
        inner.subjects[variable.key] = .field(path)
        switch try inner.term(transform) {
        case .condition(let condition): return .optionalCondition(condition, of: path)
        // `$0.name?.self`, and what the compiler makes of it.
        case .subject(.field(let same)) where same == path, .field(let same) where same == path:
            return .field(same)
        default: throw translator.untranslatable(self, "what is asked of the value is no condition")
        }
    }
}
