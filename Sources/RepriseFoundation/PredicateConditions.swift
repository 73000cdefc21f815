internal import Foundation
internal import Reprise

extension PredicateExpressions.Conjunction: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(.and([try translator.condition(lhs), try translator.condition(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(.or([try translator.condition(lhs), try translator.condition(rhs)]))
    }
}

extension PredicateExpressions.Negation: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Equal: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(try translator.comparison(self, lhs, .equal, rhs))
    }
}

extension PredicateExpressions.NotEqual: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(try translator.comparison(self, lhs, .notEqual, rhs))
    }
}

extension PredicateExpressions.Comparison: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        let comparison: Reprise.ComparisonOperator? =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: nil
            }
        guard let comparison else {
            throw translator.untranslatable(self, "its operator is not known")
        }
        return .condition(try translator.comparison(self, lhs, comparison, rhs))
    }
}

extension PredicateTranslator {
    /// A field on one side and a constant on the other, whichever way round, or two fields.
    func comparison(
        _ whole: any PredicateExpression,
        _ left: any PredicateExpression,
        _ comparison: Reprise.ComparisonOperator,
        _ right: any PredicateExpression
    ) throws -> FilterExpression {
        let (left, right) = (try term(left), try term(right))
        if case .constant(let value) = right {
            return try compare(whole, left, comparison, value)
        }
        if case .constant(let value) = left {
            return try compare(whole, right, comparison.reversed, value)
        }
        if case .field(let left) = left, case .field(let right) = right {
            return .compareFields(left, comparison, right)
        }
        throw untranslatable(whole, "one of its sides has to be a constant, or both fields")
    }

    private func compare(
        _ whole: any PredicateExpression,
        _ term: PredicateTerm,
        _ comparison: Reprise.ComparisonOperator,
        _ value: Value
    ) throws -> FilterExpression {
        switch term {
        case .field(let path): return .compare(path, comparison, value)
        case .subject(.element): return .compare(.element, comparison, value)
        case .subject(.field(let path)): return .compare(path, comparison, value)
        case .count(let path):
            guard case .int(let count) = value else { break }
            return .count(path, comparison, count)
        case .fieldOr(let path, let other):
            let stands = FilterExpression.compare(path, comparison, value)
            let present = FilterExpression.and([.not(.isNil(path)), stands])
            return comparison.holds(Value.compare(other, value))
                ? .or([present, .isNil(path)]) : present
        case .constant(let other):
            return comparison.holds(Value.compare(other, value)) ? .and([]) : .or([])
        case .condition(let condition):
            guard case .bool(let wanted) = value, comparison == .equal || comparison == .notEqual
            else { break }
            return wanted == (comparison == .equal) ? condition : .not(condition)
        case .isEmpty(let path):
            guard case .bool(let wanted) = value, comparison == .equal || comparison == .notEqual
            else { break }
            return .count(path, wanted == (comparison == .equal) ? .equal : .notEqual, 0)
        case .optionalCondition(let condition, of: let path):
            let present = FilterExpression.not(.isNil(path))
            switch (value, comparison) {
            case (.bool(true), .equal): return .and([present, condition])
            case (.bool(false), .equal): return .and([present, .not(condition)])
            case (.bool(true), .notEqual): return .not(.and([present, condition]))
            case (.bool(false), .notEqual): return .not(.and([present, .not(condition)]))
            case (.null, .equal): return .isNil(path)
            case (.null, .notEqual): return present
            default: break
            }
        default: break
        }
        throw untranslatable(whole, "what it compares is no field")
    }
}

extension Reprise.ComparisonOperator {
    /// The same with its sides exchanged.
    fileprivate var reversed: Self {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension PredicateExpressions.SequenceContains: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        let (sequence, element) = (
            try translator.term(self.sequence), try translator.term(self.element)
        )
        switch (sequence, element) {
        case (.constants(let values), .field(let path)),
            (.constants(let values), .subject(.field(let path))):
            return .condition(.isIn(path, values))
        case (.constants(let values), .subject(.element)):
            return .condition(.isIn(.element, values))
        case (.field(let path), .constant(let value)),
            (.subject(.field(let path)), .constant(let value)):
            return .condition(.contains(path, value))
        default:
            throw translator.untranslatable(
                self,
                "one of collection and element has to be a field, the other a constant"
            )
        }
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(try translator.text(self, base, .contains, other, []))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        .condition(try translator.text(self, base, .startsWith, prefix, []))
    }
}

#if canImport(Darwin)
    // Foundation has it on Apple platforms only.
    extension PredicateExpressions.StringLocalizedStandardContains: TranslatablePart {
        func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
            let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
            return .condition(try translator.text(self, root, .contains, other, options))
        }
    }
#endif

extension PredicateTranslator {
    fileprivate func text(
        _ whole: any PredicateExpression,
        _ text: any PredicateExpression,
        _ operation: TextOperator,
        _ part: any PredicateExpression,
        _ options: TextOptions
    ) throws -> FilterExpression {
        let path: FieldPath
        switch try term(text) {
        case .field(let found), .subject(.field(let found)): path = found
        case .subject(.element): path = .element
        default: throw untranslatable(whole, "the text that is looked at has to be a field")
        }
        guard case .constant(.string(let part)) = try term(part) else {
            throw untranslatable(whole, "the text that is looked for has to be a constant")
        }
        if !options.isEmpty { return .text(path, operation, part, options) }
        return operation == .startsWith ? .startsWith(path, part) : .contains(path, .string(part))
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        let path: FieldPath
        switch try translator.term(element) {
        case .field(let found), .subject(.field(let found)): path = found
        case .subject(.element): path = .element
        default: throw translator.untranslatable(self, "what is looked for has to be a field")
        }
        guard case .range(let lower, let upper, let isClosed) = try translator.term(range) else {
            throw translator.untranslatable(self, "its bounds have to be constants")
        }
        return .condition(
            .and([
                .compare(path, .greaterOrEqual, lower),
                .compare(path, isClosed ? .lessOrEqual : .less, upper),
            ])
        )
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard case .field(let path) = try translator.term(sequence) else {
            throw translator.untranslatable(self, "it has to look at a field")
        }
        var inner = translator
        inner.subjects[variable.key] = .element
        return .condition(.any(path, try inner.condition(test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm {
        guard case .field(let path) = try translator.term(sequence) else {
            throw translator.untranslatable(self, "it has to look at a field")
        }
        var inner = translator
        inner.subjects[variable.key] = .element
        return .condition(.all(path, try inner.condition(test)))
    }
}
