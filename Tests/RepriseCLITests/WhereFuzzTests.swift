import Reprise
import Testing

@testable import RepriseCLI

/// Random expressions, written by an independent printer and read back; then damaged ones.
struct WhereFuzzTests {
    @Test func `a random expression is read back as it was`() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<3000 {
            let expression = Self.expression(depth: 4, &random)
            let text = Self.text(expression, &random)
            #expect(try WhereParser.parse(text) == expression, "\(text)")
        }
    }

    @Test func `a damaged expression is refused or read, and nothing worse`() {
        var random = SeededGenerator(seed: 5)
        let vocabulary = WhereVocabulary(schema: SampleSchema.schema, model: SampleSchema.book)
        var refused = 0
        for _ in 0..<10_000 {
            var bytes = Array(Self.text(Self.expression(depth: 3, &random), &random).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                Self.damage(&bytes, &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for vocabulary in [nil, vocabulary] {
                do throws(TextMistake) {
                    _ = try WhereParser.parse(text, vocabulary: vocabulary)
                } catch {
                    refused += 1
                    #expect((0...text.utf8.count).contains(error.byteOffset))
                    #expect((1...text.count + 1).contains(error.column(in: text)))
                    #expect(!error.excerpt(of: text).isEmpty)
                }
            }
        }
        #expect(refused > 5000)
    }

    @Test func `damaged JSON, dates and assignments never trap`() throws {
        var random = SeededGenerator(seed: 6)
        let seeds = [
            #"{"a":[1,-2.5e10,"x\u00e9\ud83c\udfb5"],"b":{"c":null}}"#,
            "2024-02-29T12:30:15.25+01:00",
            "-12345-01-01T00:00:00Z", "@1e300", #"["x",null]"#, #"{"width":1e5,"unit":"mm"}"#,
            "123.456e-7", "AAECAwQ=", "123e4567-e89b-12d3-a456-426614174000",
        ]
        for _ in 0..<4_000 {
            var bytes = Array(seeds.randomElement(using: &random).map { Array($0.utf8) } ?? [])
            for _ in 0..<Int.random(in: 0...3, using: &random) { Self.damage(&bytes, &random) }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? JSONValue(parsing: text)
            if let date = try? Timestamp.date(text) {
                #expect(try Timestamp.date(Timestamp.text(date)) == date)
            }
            for attribute in SampleSchema.book.attributes {
                _ = try? Assignment("\(attribute.name)=\(text)", model: SampleSchema.book)
                _ = try? Assignment("\(attribute.name):=\(text)", model: SampleSchema.book)
            }
        }
    }
}

extension WhereFuzzTests {
    private static let names = ["a", "b_2", "title", "contains", "in", "isNil", "nilly", "Z"]

    private static func expression(
        depth: Int,
        _ random: inout SeededGenerator
    ) -> FilterExpression {
        let path = FieldPath(
            (0...Int.random(in: 0...2, using: &random)).map { _ in
                names.randomElement(using: &random) ?? "a"
            }
        )
        switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &random) {
        case 0, 1, 2:
            let comparison = ComparisonOperator.allCases.randomElement(using: &random) ?? .equal
            return .compare(path, comparison, value(&random))
        case 3 where random.chance(1, in: 2):
            let comparison = ComparisonOperator.allCases.randomElement(using: &random) ?? .equal
            return .compareFields(path, comparison, ["other", "field"])
        case 3:
            return .isIn(
                path,
                (0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random) }
            )
        case 4: return .contains(path, value(&random))
        case 5: return .startsWith(path, string(&random))
        case 6: return .endsWith(path, string(&random))
        case 7: return .isNil(path)
        case 8, 9: return .not(expression(depth: depth - 1, &random))
        default:
            let parts = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                expression(depth: depth - 1, &random)
            }
            return random.chance(1, in: 2) ? .and(parts) : .or(parts)
        }
    }

    private static func value(_ random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .bool(random.chance(1, in: 2))
        case 1:
            .int(Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random))
        case 2:
            .double(
                Double(
                    sign: .plus,
                    exponent: Int.random(in: -900...900, using: &random),
                    significand: 1
                ) + 0.5
            )
        default: .string(string(&random))
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        let characters: [Character] = ["a", "\"", "\\", "\n", "\u{0}", "é", "🎵", " ", ")", "日"]
        return String(
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? "a"
            }
        )
    }

    private static func text(
        _ expression: FilterExpression,
        _ random: inout SeededGenerator
    ) -> String {
        let space = ["", " ", " \t"].randomElement(using: &random) ?? ""
        func joined(_ parts: [FilterExpression], _ sign: String) -> String {
            parts.map { part in
                let text = text(part, &random)
                let needsParentheses =
                    if case .or = part { true } else if case .and = part { true } else { false }
                return needsParentheses || random.chance(1, in: 5)
                    ? "(\(space)\(text)\(space))" : text
            }
            .joined(separator: "\(space)\(sign)\(space)")
        }
        switch expression {
        case .compare(let path, .equal, .bool(true)) where random.chance(1, in: 2):
            return path.description
        case .compare(let path, let comparison, let value):
            return "\(path)\(space)\(comparison.rawValue)\(space)\(text(value))"
        case .compareFields(let path, let comparison, let other):
            return "\(path)\(space)\(comparison.rawValue)\(space)\(other)"
        case .isIn(let path, let values):
            return "\(path) in\(space)[" + values.map(text).joined(separator: space + ",") + "]"
        case .contains(let path, let value): return "\(path) contains \(text(value))"
        case .startsWith(let path, let string): return "\(path) startsWith \(text(.string(string)))"
        case .endsWith(let path, let string):
            return "\(path) endsWith\(space)\(text(.string(string)))"
        case .isNil(let path):
            return random.chance(1, in: 2) ? "isNil(\(path))" : "\(path)\(space) isNil"
        case .not(let inner):
            switch inner {
            case .and, .or: return "!(\(text(inner, &random)))"
            default: return "!\(space)\(text(inner, &random))"
            }
        case .and(let parts): return joined(parts, "&&")
        case .or(let parts): return joined(parts, "||")
        case .text(let path, let operation, let string, let options):
            let sign = operation == .equals ? "==" : operation.rawValue
            let letters =
                (options.contains(.caseInsensitive) ? "c" : "")
                + (options.contains(.diacriticInsensitive) ? "d" : "")
            return "\(path) \(sign)[\(letters)]\(space)\(text(.string(string)))"
        case .matches(let path, let string):
            let subject = path.map { "\($0) " } ?? ""
            return "\(subject)matches \(text(.string(string)))"
        case .count(let path, let comparison, let count):
            return "\(path).count\(space)\(comparison.rawValue)\(space)\(count)"
        case .any(let path, let inner): return "\(path).any(\(text(inner, &random)))"
        case .all(let path, let inner): return "\(path).all(\(text(inner, &random)))"
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value):
            let escaped = value.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case "\n": "\\n"
                case "\0": "\\u0000"
                case "🎵": "\\uD83c\\udFB5"
                default: String(scalar)
                }
            }
            return "\"" + escaped.joined() + "\""
        default: return "nil"
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
        let interesting = Array("\"\\()[]!&|=<>.,-0e+:{}\u{0}é".utf8)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !bytes.isEmpty: bytes.remove(at: index)
        case 1 where !bytes.isEmpty: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 2 where !bytes.isEmpty:
            let end = Int.random(in: index..<bytes.count, using: &random)
            bytes.insert(contentsOf: bytes[index...end], at: index)
        default: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: index)
        }
    }
}
