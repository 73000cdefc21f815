/// One word of a where-expression and where it stands.
struct WhereToken: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// `genre`, `album.title`
        case path([String])
        case literal(JSONValue)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String, CaseIterable, Sendable {
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case less = "<"
        case greater = ">"
        case not = "!"
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case leftBracket = "["
        case rightBracket = "]"
        case comma = ","
    }

    var kind: Kind
    /// UTF-8 bytes from the beginning of the expression.
    var range: Range<Int>
}

/// Cuts a where-expression into words.
struct WhereLexer {
    private var scanner: TextScanner

    init(_ text: String) {
        scanner = TextScanner(text)
    }

    /// All words and the end.
    static func tokens(of text: String) throws(TextMistake) -> [WhereToken] {
        var lexer = WhereLexer(text)
        var tokens: [WhereToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(TextMistake) -> WhereToken {
        scanner.skipSpace()
        let start = scanner.offset
        let kind = try kind()
        return WhereToken(kind: kind, range: start..<scanner.offset)
    }

    private mutating func kind() throws(TextMistake) -> WhereToken.Kind {
        guard let byte = scanner.current else { return .end }
        if byte == UInt8(ascii: "\"") { return .literal(.string(try scanner.string())) }
        if scanner.startsNumber { return .literal(.number(try number())) }
        if Self.startsName(byte) { return try word() }
        for symbol in WhereToken.Symbol.allCases where take(symbol) { return .symbol(symbol) }
        throw unknownSymbol(byte)
    }

    private mutating func take(_ symbol: WhereToken.Symbol) -> Bool {
        for (distance, byte) in symbol.rawValue.utf8.enumerated()
        where scanner.peek(distance) != byte { return false }
        scanner.advance(by: symbol.rawValue.utf8.count)
        return true
    }

    private func unknownSymbol(_ byte: UInt8) -> TextMistake {
        switch byte {
        case UInt8(ascii: "="): scanner.mistake("`==` for a comparison")
        case UInt8(ascii: "&"): scanner.mistake("`&&`")
        case UInt8(ascii: "|"): scanner.mistake("`||`")
        case UInt8(ascii: "'"): scanner.mistake("a string in double quotes")
        default: scanner.mistake("an attribute, a value or an operator")
        }
    }

    private mutating func number() throws(TextMistake) -> String {
        let text = try scanner.number()
        if let byte = scanner.current, Self.continuesName(byte) {
            throw scanner.mistake("the end of the number")
        }
        return text
    }

    private mutating func word() throws(TextMistake) -> WhereToken.Kind {
        var components = [name()]
        while scanner.current == UInt8(ascii: ".") {
            scanner.advance()
            guard let byte = scanner.current, Self.startsName(byte) else {
                throw scanner.mistake("an attribute after the point")
            }
            components.append(name())
        }
        return switch components {
        case ["true"]: .literal(.bool(true))
        case ["false"]: .literal(.bool(false))
        case ["nil"], ["null"]: .literal(.null)
        default: .path(components)
        }
    }

    private mutating func name() -> String {
        let start = scanner.offset
        while let byte = scanner.current, Self.continuesName(byte) { scanner.advance() }
        return scanner.text(start..<scanner.offset)
    }

    private static func startsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func continuesName(_ byte: UInt8) -> Bool {
        startsName(byte) || (0x30...0x39).contains(byte)
    }
}
