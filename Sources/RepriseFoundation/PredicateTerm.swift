internal import Foundation
internal import Reprise

/// What a part of a predicate stands for, as far as rows can be asked for it.
enum PredicateTerm {
    /// The entity itself, or the element of a collection.
    case subject(PredicateSubject)
    case field(FieldPath)
    /// How many elements a field has, or whether it has none.
    case count(FieldPath)
    case isEmpty(FieldPath)
    case constant(Value)
    case constants([Value])
    case range(lower: Value, upper: Value, isClosed: Bool)
    case condition(FilterExpression)
    /// A condition that is nil where the field is.
    case optionalCondition(FilterExpression, of: FieldPath)
    /// A field, or another value where it is nil.
    case fieldOr(FieldPath, Value)
}

/// What a variable of a predicate stands for.
enum PredicateSubject {
    /// The stored name of a property; nil for one that is not stored.
    case entity((AnyKeyPath) -> String?)
    case field(FieldPath)
    case element
}

/// Translates the parts of one predicate.
struct PredicateTranslator {
    var subjects: [PredicateExpressions.VariableID: PredicateSubject]

    func term(_ expression: any PredicateExpression) throws -> PredicateTerm {
        guard let part = expression as? any TranslatablePart else {
            throw untranslatable(expression, "it has no counterpart among filters")
        }
        return try part.term(self)
    }

    /// A part as a condition.
    func condition(_ expression: any PredicateExpression) throws -> FilterExpression {
        switch try term(expression) {
        case .condition(let condition): return condition
        case .constant(.bool(let holds)): return holds ? .and([]) : .or([])
        case .field(let path): return .compare(path, .equal, .bool(true))
        case .isEmpty(let path): return .count(path, .equal, 0)
        case .fieldOr(let path, .bool(let other)):
            let holds = FilterExpression.compare(path, .equal, .bool(true))
            return other ? .or([holds, .isNil(path)]) : holds
        default: throw untranslatable(expression, "it is no condition")
        }
    }

    func untranslatable(_ expression: any PredicateExpression, _ reason: String) -> StoreError {
        let kind = String(describing: type(of: expression)).prefix { $0 != "<" }
        let text = "\(expression)"
        let shown = text.count > 160 ? "\(text.prefix(160))…" : text
        return StoreError(
            .invalidQuery,
            "The predicate's part `\(kind)` cannot be translated: \(reason). It is \(shown)",
            advice: "Write the condition as a filter closure, or fetch more and filter in memory."
        )
    }
}

/// A part of a predicate that can be translated.
protocol TranslatablePart {
    func term(_ translator: PredicateTranslator) throws -> PredicateTerm
}
