import Foundation
import Reprise
import Testing

@testable import RepriseCLI

struct WhereParserTests {
    @Test(
        arguments: [
            ("genre == \"Jazz\"", .compare(["genre"], .equal, .string("Jazz"))),
            ("a != 1", .compare(["a"], .notEqual, .int(1))),
            ("a<-2", .compare(["a"], .less, .int(-2))),
            ("a <= 2.5", .compare(["a"], .lessOrEqual, .double(2.5))),
            ("a > 1e3", .compare(["a"], .greater, .double(1000))),
            ("a >= 9223372036854775807", .compare(["a"], .greaterOrEqual, .int(.max))),
            ("a == true", .compare(["a"], .equal, .bool(true))),
            ("spent > planned", .compareFields(["spent"], .greater, ["planned"])),
            ("a.b==c.d", .compareFields(["a", "b"], .equal, ["c", "d"])),
            ("a == nil", .isNil(["a"])), ("a != nil", .not(.isNil(["a"]))),
            ("a isNil", .isNil(["a"])), ("isNil(album.title)", .isNil(["album", "title"])),
            ("isNil isNil", .isNil(["isNil"])),
            ("a", .compare(["a"], .equal, .bool(true))),
            ("!a", .not(.compare(["a"], .equal, .bool(true)))),
            ("album.title startsWith \"X\"", .startsWith(["album", "title"], "X")),
            ("a endsWith \"\"", .endsWith(["a"], "")),
            ("a contains \"moon\"", .contains(["a"], .string("moon"))),
            ("contains contains 1", .contains(["contains"], .int(1))),
            ("a in []", .isIn(["a"], [])),
            ("a in [1, \"x\" ,false]", .isIn(["a"], [.int(1), .string("x"), .bool(false)])),
            (
                "a && b || c && !d",
                .or([
                    .and([
                        .compare(["a"], .equal, .bool(true)), .compare(["b"], .equal, .bool(true)),
                    ]),
                    .and([
                        .compare(["c"], .equal, .bool(true)),
                        .not(.compare(["d"], .equal, .bool(true))),
                    ]),
                ])
            ),
            (
                "genre == \"Jazz\" && (duration > 200 || title contains \"moon\")",
                .and([
                    .compare(["genre"], .equal, .string("Jazz")),
                    .or([
                        .compare(["duration"], .greater, .int(200)),
                        .contains(["title"], .string("moon")),
                    ]),
                ])
            ),
            ("(((a)))", .compare(["a"], .equal, .bool(true))),
            ("a == \"\\\"\\u00e9\\n\"", .compare(["a"], .equal, .string("\"é\n"))),
            ("  a\n==\t1  ", .compare(["a"], .equal, .int(1))),
        ] as [(String, FilterExpression)]
    )
    func `an expression means what it says`(_ text: String, _ expected: FilterExpression) throws {
        #expect(try WhereParser.parse(text) == expected)
    }

    @Test(
        arguments: [
            ("", 1, "an attribute, `!` or `(`", "the end"),
            ("genre = \"Jazz\"", 7, "`==` for a comparison", "`=`"),
            ("genre in [Jazz]", 11, "a value, strings in double quotes", "`Jazz`"),
            ("genre == 'Jazz'", 10, "a string in double quotes", "`'`"),
            ("genre == && a", 10, "a value", "`&`"),
            ("a == 1 b == 2", 8, "`&&`, `||` or the end", "`b`"),
            ("a == 1 & b", 8, "`&&`", "`&`"), ("a == 1 | b", 8, "`||`", "`|`"),
            ("(a == 1", 8, "`&&`, `||` or `)`", "the end"),
            ("a == 1)", 7, "`&&`, `||` or the end", "`)`"),
            ("a in 1", 6, "`[` and values", "`1`"), ("a in [1 2]", 9, "`,` or `]`", "`2`"),
            ("a in [1,", 9, "a value", "the end"),
            ("a in [nil]", 7, "a value other than nil", "`nil`"),
            ("a < nil", 5, "a value other than nil, which has no order", "`nil`"),
            ("a startsWith 1", 14, "a string in double quotes", "`1`"),
            ("album. == 1", 7, "an attribute after the point", "` `"),
            ("1 == a", 1, "an attribute, `!` or `(`", "`1`"),
            ("a == 1x", 7, "the end of the number", "`x`"),
            ("a == 01", 6, "a number without leading zeros", "`01`"),
            ("a == 9223372036854775808", 6, "a whole number of 64 bits", "`9223372036854775808`"),
            ("a == 1e999", 6, "a number, nan, inf or -inf", "`1e999`"),
            ("é == 1", 1, "an attribute, a value or an operator", "`é`"),
            ("a == \"é\" && ü", 13, "an attribute, a value or an operator", "`ü`"),
            ("a == \"x", 6, "a closing double quote for this string", "the end"),
            ("isNil(1)", 7, "an attribute", "`1`"), ("isNil(a", 8, "`)`", "the end"),
        ]
    )
    func `a mistake has a place, an expectation and what is there instead`(
        _ text: String,
        _ column: Int,
        _ expected: String,
        _ found: String
    ) throws {
        let mistake = try #require(throws: TextMistake.self) { try WhereParser.parse(text) }
        #expect(mistake.column(in: text) == column)
        #expect(mistake.expected == expected)
        #expect(mistake.found == found)
    }

    @Test func `a misspelled operator is recognised`() throws {
        let mistake = try #require(throws: TextMistake.self) {
            try WhereParser.parse("title contain \"x\"")
        }
        #expect(mistake.suggestion == "contains")
        #expect(mistake.column(in: "title contain \"x\"") == 7)
    }

    @Test func `nesting and length are limited`() throws {
        let fits = String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100)
        _ = try WhereParser.parse(fits)
        for text in ["(" + fits + ")", String(repeating: "!", count: 101) + "a"] {
            let mistake = try #require(throws: TextMistake.self) { try WhereParser.parse(text) }
            #expect(mistake.expected == "at most 100 levels of `(` and `!`")
            #expect(mistake.column(in: text) == 102)
        }
        let long = String(repeating: "(", count: 1 << 20)
        let mistake = try #require(throws: TextMistake.self) { try WhereParser.parse(long) }
        #expect(mistake.expected == "an expression of at most 65536 bytes")
    }

    @Test func `the excerpt has a caret under the mistake, wide characters included`() throws {
        let text = "a == \"日本\" && ?"
        let mistake = try #require(throws: TextMistake.self) { try WhereParser.parse(text) }
        #expect(mistake.excerpt(of: text) == "  a == \"日本\" && ?\n                 ^")
        #expect(
            mistake.sentence(in: text, called: "--where")
                == "--where is wrong at character 14: expected an attribute, a value or an operator, found `?`."
        )
        let long = String(repeating: "x", count: 5000) + " ?"
        let far = try #require(throws: TextMistake.self) { try WhereParser.parse(long) }
        #expect(far.excerpt(of: long).utf8.count < 200)
    }
}

/// What the expression's attributes mean is known.
struct WhereVocabularyTests {
    private func parse(_ text: String) throws -> FilterExpression {
        try WhereParser.parse(
            text,
            vocabulary: WhereVocabulary(schema: SampleSchema.schema, model: SampleSchema.book)
        )
    }

    @Test func `values are read in terms of the attribute`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        #expect(
            try parse("published > \"2001-01-01\"")
                == .compare(["published"], .greater, .date(date))
        )
        #expect(
            try parse("author.born in [\"2001-01-01T00:00:00Z\"]")
                == .isIn(["author", "born"], [.date(date)])
        )
        #expect(try parse("weight == 1") == .compare(["weight"], .equal, .double(1)))
        #expect(try parse("weight != \"nan\"") == .compare(["weight"], .notEqual, .double(.nan)))
        #expect(try parse("pages >= 2.0") == .compare(["pages"], .greaterOrEqual, .int(2)))
        #expect(
            try parse("price == 0.1")
                == .compare(["price"], .equal, .decimal(try #require(Decimal(string: "0.1"))))
        )
        #expect(try parse("author == \"x\"") == .compare(["author"], .equal, .reference("x")))
        #expect(
            try parse("author.id == \"x\"") == .compare(["author", "id"], .equal, .string("x"))
        )
        #expect(try parse("cover == \"AAE=\"") == .compare(["cover"], .equal, .data(Data([0, 1]))))
        #expect(try parse("tags contains \"x\"") == .contains(["tags"], .string("x")))
        #expect(try parse("years contains 1999") == .contains(["years"], .int(1999)))
        #expect(try parse("notes contains \"k\"") == .contains(["notes"], .string("k")))
        #expect(try parse("title == author.name") == .compareFields(["title"], .equal, ["author", "name"]))
        #expect(try parse("!isLent") == .not(.compare(["isLent"], .equal, .bool(true))))
    }

    @Test(
        arguments: [
            ("titel == \"x\"", 1, "an attribute of book", "title"),
            ("author.nam == \"x\"", 8, "an attribute of author", "name"),
            ("title.x == 1", 7, "nothing after title, which refers to no other model", nil),
            ("size.width == 1", 6, "nothing after size, which refers to no other model", nil),
            ("published > \"2001-13-01\"", 13, "a month from 01 to 12", nil),
            ("pages == \"x\"", 10, "a whole number of 64 bits", nil),
            ("pages == 2.5", 10, "a whole number of 64 bits", nil),
            ("isLent == 1", 11, "true or false", nil),
            ("title == Jazz", 10, "a value, strings in double quotes, or an attribute of the same type", nil),
            ("title == pages", 10, "a value, strings in double quotes, or an attribute of the same type", nil),
            (
                "author.books contains \"x\"", 8, "a single value, which a list is not",
                "books.any(…), books.all(…) or books.count"
            ),
            (
                "title && isLent", 7,
                "an operator (== != < <= > >= in between contains startsWith endsWith matches isNil)",
                nil
            ),
        ] as [(String, Int, String, String?)]
    )
    func `a mistake in meaning has a place too`(
        _ text: String,
        _ column: Int,
        _ expected: String,
        _ suggestion: String?
    ) throws {
        let mistake = try #require(throws: TextMistake.self) { try parse(text) }
        #expect(mistake.column(in: text) == column)
        #expect(mistake.expected == expected)
        #expect(mistake.suggestion == suggestion)
    }
}

/// Elements, folded text, ranges.
struct WhereElementTests {
    private func parse(_ text: String) throws -> FilterExpression {
        try WhereParser.parse(text)
    }

    @Test func `options tell what a comparison of texts does not see`() throws {
        #expect(
            try parse(#"title contains[cd] "moon""#)
                == .text(["title"], .contains, "moon", [.caseInsensitive, .diacriticInsensitive])
        )
        #expect(try parse(#"title ==[c] "x""#) == .text(["title"], .equals, "x", .caseInsensitive))
        #expect(
            try parse(#"title startsWith[d] "x""#)
                == .text(["title"], .startsWith, "x", .diacriticInsensitive)
        )
        let mistake = #expect(throws: TextMistake.self) { try parse(#"title contains[x] "y""#) }
        #expect(mistake?.expected == "`c`, `d` or `cd`")
    }

    @Test func `between has both bounds`() throws {
        #expect(
            try parse("year between 1960 and 1969 && kind == 1")
                == .and([
                    .and([
                        .compare(["year"], .greaterOrEqual, .int(1960)),
                        .compare(["year"], .lessOrEqual, .int(1969)),
                    ]),
                    .compare(["kind"], .equal, .int(1)),
                ])
        )
    }

    @Test func `conditions on elements nest`() throws {
        #expect(
            try parse(#"shelf.books.any(pages > 3 && tags.all(it == "x"))"#)
                == .any(
                    ["shelf", "books"],
                    .and([
                        .compare(["pages"], .greater, .int(3)),
                        .all(["tags"], .compare(.element, .equal, .string("x"))),
                    ])
                )
        )
        #expect(throws: TextMistake.self) { try parse("books.any(pages > 3") }
        #expect(throws: TextMistake.self) { try parse("books.any()") }
    }
}
