import Reprise

/// Elements.
extension WhereParser {
    /// `path.any(expression)` and `path.all(expression)`
    mutating func elements(
        _ components: [String],
        depth: Int
    ) throws(TextMistake) -> FilterExpression {
        let token = advance()
        let collection = Array(components.dropLast())
        let outer = vocabulary
        if let outer {
            do throws(WhereVocabulary.PathMistake) {
                vocabulary = try outer.elements(of: collection)
            } catch {
                throw Self.mistake(error, collection, token)
            }
        }
        advance()
        elementDepth += 1
        let condition = try alternatives(depth: try deeper(depth))
        elementDepth -= 1
        guard take(.rightParenthesis) else { throw mistake("`&&`, `||` or `)`") }
        vocabulary = outer
        let path = path(collection)
        return components.last == "any" ? .any(path, condition) : .all(path, condition)
    }

    /// `path.count >= 3`
    mutating func count(_ components: [String]) throws(TextMistake) -> FilterExpression {
        advance()
        guard case .symbol(let symbol) = current.kind, let comparison = ComparisonOperator(symbol)
        else { throw mistake("a comparison (== != < <= > >=)") }
        advance()
        guard case .int(let count) = try literal(of: .int) else { throw mistake("an integer") }
        return .count(path(Array(components.dropLast())), comparison, count)
    }

    /// `[c]`, `[d]` or `[cd]`, where it stands.
    mutating func textOptions() throws(TextMistake) -> TextOptions? {
        guard take(.leftBracket) else { return nil }
        let options: TextOptions
        switch current.kind {
        case .path(["c"]): options = .caseInsensitive
        case .path(["d"]): options = .diacriticInsensitive
        case .path(["cd"]), .path(["dc"]): options = [.caseInsensitive, .diacriticInsensitive]
        default: throw mistake("`c`, `d` or `cd`")
        }
        advance()
        guard take(.rightBracket) else { throw mistake("`]`") }
        return options
    }

    /// The attribute on the right of a comparison, which is of the type of the one on the left.
    mutating func field(
        _ components: [String],
        like type: ValueType?
    ) throws(TextMistake) -> FieldPath {
        let texts: [ValueType] = [.string, .reference]
        if let vocabulary {
            guard let found = try? vocabulary.type(of: components), let type,
                found == type || texts.contains(found) && texts.contains(type)
            else { throw mistake("a value, strings in double quotes, or an attribute of the same type") }
        }
        advance()
        let isElement = vocabulary == nil && elementDepth > 0 && components == [WhereVocabulary.element]
        return isElement ? .element : path(components)
    }
}
