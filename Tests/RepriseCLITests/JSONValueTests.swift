import Testing

@testable import RepriseCLI

struct JSONValueTests {
    @Test func `values of all kinds are read`() throws {
        let text = #" { "a" : [ 1, -2.5e+3, true, false, null, "x\u0041\ud83c\udfb5" ], "b":{} } "#
        let value = try JSONValue(parsing: text)
        let list: [JSONValue] = [
            .number("1"), .number("-2.5e+3"), .bool(true), .bool(false), .null, .string("xA🎵"),
        ]
        #expect(
            value
                == .object([
                    .init(name: "a", value: .array(list)), .init(name: "b", value: .object([])),
                ])
        )
    }

    @Test func `numbers keep digits that no double has`() throws {
        #expect(try JSONValue(parsing: "9223372036854775807") == .number("9223372036854775807"))
    }

    @Test(
        arguments: [
            ("", 1, "a JSON value"), ("[1,]", 4, "a JSON value"), ("[1 2]", 4, "`,` or `]`"),
            ("{\"a\" 1}", 6, "`:`"), ("{\"a\":1,}", 8, "a string in double quotes"),
            ("{\"a\":1,\"a\":2}", 8, "a key that does not occur before"),
            ("01", 1, "a number without leading zeros"), ("1.", 3, "a digit after the point"),
            ("1e", 3, "a digit of the exponent"), ("-", 2, "a digit"), ("1 1", 3, "the end"),
            ("\"abc", 1, "a closing double quote for this string"),
            ("\"\\x\"", 2, "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"),
            ("\"\\ud800\"", 2, "both halves of a surrogate pair"),
            ("\"\\udc00\\udc00\"", 2, "both halves of a surrogate pair"),
            ("\"\\ud800\\u0000\"", 2, "both halves of a surrogate pair"),
            ("\"\\u12g4\"", 6, "four hexadecimal digits after \\u"),
            ("\"a\nb\"", 3, "\\n, \\t or \\u00XX instead of a control character"),
            ("nul", 1, "a JSON value"),
        ]
    )
    func `a mistake has a place and an expectation`(
        _ text: String,
        _ column: Int,
        _ expected: String
    ) throws {
        let mistake = try #require(throws: TextMistake.self) { try JSONValue(parsing: text) }
        #expect(mistake.column(in: text) == column)
        #expect(mistake.expected == expected)
    }

    @Test func `nesting is limited to one hundred levels`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONValue(parsing: nested(100))
        let mistake = try #require(throws: TextMistake.self) {
            try JSONValue(parsing: nested(200_000))
        }
        #expect(mistake.expected == "at most 100 levels of nesting")
    }
}
