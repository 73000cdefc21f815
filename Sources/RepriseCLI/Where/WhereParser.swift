import Reprise

/// Reads a where-expression:
///
/// ```text
/// expression := conjunction { "||" conjunction }
/// conjunction := term { "&&" term }
/// term := "!" term | "(" expression ")" | "isNil" "(" path ")" | path [ condition ]
///       | "matches" string
///       | path "." ( "any" | "all" ) "(" expression ")" | path "." "count" comparison integer
/// condition := comparison ( literal | path ) | "==" options string | "in" "[" [ literal { "," literal } ] "]"
///            | "between" literal "and" literal
///            | "matches" string
///            | "contains" literal | ( "contains" | "startsWith" | "endsWith" ) [ options ] string | "isNil"
/// comparison := "==" | "!=" | "<" | "<=" | ">" | ">="
/// options := "[" ( "c" | "d" | "cd" ) "]"
/// path := name { "." name }          literal := string | number | "true" | "false" | "nil"
/// ```
///
/// A path alone is `path == true`. `== nil` and `!= nil` ask for nil itself. With a vocabulary
/// literals are read in terms of the attribute (a date, an identifier, a decimal…); without one a
/// string is a string, and a number an integer where it has neither fraction nor exponent. `[c]` does not
/// see case, `[d]` no diacritics. In `any` and `all` of a relationship paths begin at what it leads to; in those of a
/// list, a set or a map `it` is the element.
struct WhereParser {
    /// The UTF-8 bytes that an expression may have.
    static let byteCountMax = 1 << 16
    /// The levels that parentheses and `!` may nest.
    static let depthMax = 100

    private let tokens: [WhereToken]
    private let scanner: TextScanner
    var vocabulary: WhereVocabulary?
    private var index = 0
    /// How many conditions on elements are open.
    var elementDepth = 0

    /// Reads an expression.
    ///
    /// - Parameter vocabulary: what the paths mean; nil to check the grammar only.
    /// - Throws: `TextMistake` with the place and what was expected there.
    static func parse(
        _ text: String,
        vocabulary: WhereVocabulary? = nil
    ) throws(TextMistake) -> FilterExpression {
        guard text.utf8.count <= byteCountMax else {
            throw TextMistake(
                at: byteCountMax,
                expected: "an expression of at most \(byteCountMax) bytes"
            )
        }
        var parser = WhereParser(
            tokens: try WhereLexer.tokens(of: text),
            scanner: TextScanner(text),
            vocabulary: vocabulary
        )
        return try parser.whole()
    }

    private init(tokens: [WhereToken], scanner: TextScanner, vocabulary: WhereVocabulary?) {
        self.tokens = tokens
        self.scanner = scanner
        self.vocabulary = vocabulary
    }
}

/// Grammar.
extension WhereParser {
    private mutating func whole() throws(TextMistake) -> FilterExpression {
        let expression = try alternatives(depth: 0)
        guard current.kind == .end else { throw mistake("`&&`, `||` or the end") }
        return expression
    }

    mutating func alternatives(depth: Int) throws(TextMistake) -> FilterExpression {
        var parts = [try conjunction(depth: depth)]
        while take(.or) { parts.append(try conjunction(depth: depth)) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction(depth: Int) throws(TextMistake) -> FilterExpression {
        var parts = [try term(depth: depth)]
        while take(.and) { parts.append(try term(depth: depth)) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func term(depth: Int) throws(TextMistake) -> FilterExpression {
        if take(.not) {
            return .not(try term(depth: try deeper(depth)))
        }
        if take(.leftParenthesis) {
            let expression = try alternatives(depth: try deeper(depth))
            guard take(.rightParenthesis) else { throw mistake("`&&`, `||` or `)`") }
            return expression
        }
        guard case .path(let components) = current.kind else {
            throw mistake("an attribute, `!` or `(`")
        }
        if components == ["isNil"], isNext(.leftParenthesis) {
            return try isNilCall()
        }
        if components == ["matches"], isNextText {
            advance()
            return .matches(nil, try text())
        }
        if components.count > 1, ["any", "all"].contains(components.last),
            isNext(.leftParenthesis)
        {
            return try elements(components, depth: depth)
        }
        if components.count > 1, components.last == "count",
            vocabulary?.hasElements(components.dropLast()) == true
        {
            return try count(components)
        }
        let subject = try subject(components, token: advance())
        return try condition(on: subject)
    }

    /// `isNil(path)`
    private mutating func isNilCall() throws(TextMistake) -> FilterExpression {
        advance()
        advance()
        guard case .path(let components) = current.kind else { throw mistake("an attribute") }
        let subject = try subject(components, token: advance())
        guard take(.rightParenthesis) else { throw mistake("`)`") }
        return .isNil(subject.path)
    }

    private mutating func condition(on subject: Subject) throws(TextMistake) -> FilterExpression {
        let token = current
        switch token.kind {
        case .symbol(let symbol):
            guard let comparison = ComparisonOperator(symbol) else { break }
            advance()
            if comparison == .equal, let options = try textOptions() {
                return .text(subject.path, .equals, try text(), options)
            }
            return try self.comparison(subject, comparison)
        case .path(["in"]):
            advance()
            return .isIn(subject.path, try literals(of: subject.type))
        case .path(["contains"]):
            advance()
            if let options = try textOptions() {
                return .text(subject.path, .contains, try text(), options)
            }
            return .contains(subject.path, try literal(of: subject.elementType))
        case .path(["startsWith"]):
            advance()
            if let options = try textOptions() {
                return .text(subject.path, .startsWith, try text(), options)
            }
            return .startsWith(subject.path, try text())
        case .path(["endsWith"]):
            advance()
            if let options = try textOptions() {
                return .text(subject.path, .endsWith, try text(), options)
            }
            return .endsWith(subject.path, try text())
        case .path(["matches"]):
            advance()
            return .matches(subject.path, try text())
        case .path(["between"]):
            advance()
            let lower = try literal(of: subject.type)
            guard current.kind == .path(["and"]) else { throw mistake("`and` and the upper bound") }
            advance()
            let upper = try literal(of: subject.type)
            return .and([
                .compare(subject.path, .greaterOrEqual, lower),
                .compare(subject.path, .lessOrEqual, upper),
            ])
        case .path(["isNil"]):
            advance()
            return .isNil(subject.path)
        default: break
        }
        guard subject.type == nil || subject.type == .bool, endsTerm(token) else {
            throw operatorMistake(at: token)
        }
        return .compare(subject.path, .equal, .bool(true))
    }

    private mutating func comparison(
        _ subject: Subject,
        _ comparison: ComparisonOperator
    ) throws(TextMistake) -> FilterExpression {
        if case .path(let components) = current.kind {
            return .compareFields(subject.path, comparison, try field(components, like: subject.type))
        }
        guard case .literal(.null) = current.kind else {
            return .compare(subject.path, comparison, try literal(of: subject.type))
        }
        switch comparison {
        case .equal:
            advance()
            return .isNil(subject.path)
        case .notEqual:
            advance()
            return .not(.isNil(subject.path))
        default: throw mistake("a value other than nil, which has no order")
        }
    }

    private func endsTerm(_ token: WhereToken) -> Bool {
        switch token.kind {
        case .end, .symbol(.and), .symbol(.or), .symbol(.rightParenthesis): true
        default: false
        }
    }

    func deeper(_ depth: Int) throws(TextMistake) -> Int {
        guard depth < Self.depthMax else {
            throw mistake("at most \(Self.depthMax) levels of `(` and `!`")
        }
        return depth + 1
    }
}

/// Operands.
extension WhereParser {
    /// What a condition is about.
    private struct Subject {
        var path: FieldPath
        /// Nil where nobody knows.
        var type: ValueType?

        /// The type of what `contains` looks for.
        var elementType: ValueType? {
            switch type {
            case .list(let element, _), .set(let element, _): element
            case .map: .string
            default: type
            }
        }
    }

    private func subject(
        _ components: [String],
        token: WhereToken
    ) throws(TextMistake) -> Subject {
        guard let vocabulary else {
            let isElement = elementDepth > 0 && components == [WhereVocabulary.element]
            return Subject(path: isElement ? .element : FieldPath(components), type: nil)
        }
        do throws(WhereVocabulary.PathMistake) {
            let type = try vocabulary.type(of: components)
            return Subject(path: path(components), type: type)
        } catch {
            throw Self.mistake(error, components, token)
        }
    }

    func path(_ components: [String]) -> FieldPath {
        vocabulary?.isOfElement == true ? .element : FieldPath(components)
    }

    /// A mistake at the component that is wrong, not at the path as a whole.
    static func mistake(
        _ error: WhereVocabulary.PathMistake,
        _ components: [String],
        _ token: WhereToken
    ) -> TextMistake {
        let before = components.prefix(error.component).reduce(0) { $0 + $1.utf8.count + 1 }
        return TextMistake(
            at: token.range.lowerBound + before,
            expected: error.expected,
            found: "`\(components[error.component])`",
            suggestion: error.suggestion
        )
    }

    private mutating func literals(of type: ValueType?) throws(TextMistake) -> [Value] {
        guard take(.leftBracket) else { throw mistake("`[` and values") }
        var values: [Value] = []
        if take(.rightBracket) { return values }
        while true {
            values.append(try literal(of: type))
            if take(.rightBracket) { return values }
            guard take(.comma) else { throw mistake("`,` or `]`") }
        }
    }

    private mutating func text() throws(TextMistake) -> String {
        guard case .literal(.string(let text)) = current.kind else {
            throw mistake("a string in double quotes")
        }
        advance()
        return text
    }

    mutating func literal(of type: ValueType?) throws(TextMistake) -> Value {
        guard case .literal(let json) = current.kind else {
            if case .path = current.kind {
                throw mistake("a value, strings in double quotes")
            }
            throw mistake("a value")
        }
        guard json != .null else { throw mistake("a value other than nil") }
        let value: Value
        do throws(ValueMistake) {
            value = try Self.value(json, type)
        } catch {
            throw mistake(error.expected)
        }
        advance()
        return value
    }

    private static func value(
        _ json: JSONValue,
        _ type: ValueType?
    ) throws(ValueMistake) -> Value {
        if let type { return try Value(literal: json, as: type) }
        switch json {
        case .bool(let value): return .bool(value)
        case .string(let text): return .string(text)
        case .number(let text):
            if text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }) {
                return try Value(json, as: .int)
            }
            return try Value(json, as: .double)
        default: throw ValueMistake(expected: "a value", found: json.kindName)
        }
    }
}

/// Words.
extension WhereParser {
    var current: WhereToken { tokens[index] }

    /// Passes over the current word; the end stays.
    @discardableResult
    mutating func advance() -> WhereToken {
        let token = current
        if index < tokens.count - 1 { index += 1 }
        return token
    }

    mutating func take(_ symbol: WhereToken.Symbol) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    private var isNextText: Bool {
        guard index + 1 < tokens.count, case .literal(.string) = tokens[index + 1].kind else {
            return false
        }
        return true
    }

    func isNext(_ symbol: WhereToken.Symbol) -> Bool {
        index + 1 < tokens.count && tokens[index + 1].kind == .symbol(symbol)
    }

    func mistake(_ expected: String) -> TextMistake {
        scanner.mistake(expected, at: current.range.lowerBound)
    }

    private func operatorMistake(at token: WhereToken) -> TextMistake {
        var mistake = mistake(
            "an operator (== != < <= > >= in between contains startsWith endsWith matches isNil)"
        )
        if case .path(let components) = token.kind, components.count == 1 {
            let words = ["in", "between", "contains", "startsWith", "endsWith", "matches", "isNil"]
            mistake.suggestion = Spelling.nearest(to: components[0], in: words)
        }
        return mistake
    }
}

extension ComparisonOperator {
    init?(_ symbol: WhereToken.Symbol) {
        switch symbol {
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .less: self = .less
        case .lessOrEqual: self = .lessOrEqual
        case .greater: self = .greater
        case .greaterOrEqual: self = .greaterOrEqual
        default: return nil
        }
    }
}
