import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// Reads a value of `type` as a person writes it behind `key=`: text as it stands, containers as
    /// JSON.
    init(text: String, as type: ValueType) throws(ValueMistake) {
        switch type {
        case .string: self = .string(text)
        case .reference: self = .reference(text)
        case .bool: self = .bool(try Self.require(Bool(text), text, type))
        case .int: self = .int(try Self.require(Self.integer(text), text, type))
        case .double: self = .double(try Self.require(Self.float(text), text, type))
        case .float: self = .float(try Self.require(Self.float(text), text, type))
        case .decimal: self = .decimal(try Self.require(Self.decimal(text), text, type))
        case .data: self = .data(try Self.require(Data(base64Encoded: text), text, type))
        case .uuid: self = .uuid(try Self.require(UUID(uuidString: text), text, type))
        case .date: self = .date(try Self.date(text))
        case .list, .set, .map, .embedded:
            do {
                self = try Value(try JSONValue(parsing: text), as: type)
            } catch let mistake as TextMistake {
                throw ValueMistake(
                    expected: mistake.expected,
                    found: (mistake.found ?? "something else")
                        + " at character \(mistake.column(in: text))"
                )
            } catch let mistake as ValueMistake {
                throw mistake
            } catch {
                throw ValueMistake(expected: type.expectation, found: Self.quoted(text))
            }
        }
    }

    private static func require<T>(
        _ value: T?,
        _ text: String,
        _ type: ValueType
    ) throws(ValueMistake) -> T {
        guard let value else {
            throw ValueMistake(expected: type.expectation, found: quoted(text))
        }
        return value
    }

    private static func quoted(_ text: String) -> String {
        "`\(DisplayWidth.truncated(DisplayWidth.visible(text), to: 40))`"
    }

    /// A whole number, also as `2.0` or `1e3`, whose doubles are exact.
    private static func integer(_ text: String) -> Int? {
        guard isNumber(text) else { return nil }
        if let value = Int(text) { return value }
        guard let value = Double(text), value.magnitude < 0x1p53 else { return nil }
        return Int(exactly: value)
    }

    /// A number, or one of the three that JSON lacks. One that is too large is no number, rather than
    /// infinity.
    private static func float<F: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String
    ) -> F? {
        switch text {
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -F.infinity
        default:
            guard isNumber(text), let value = F(text), value.isFinite else { return nil }
            return value
        }
    }

    /// `Decimal(string:)` stops reading at the first odd character and rounds what is too long; both would
    /// change the value in silence.
    private static func decimal(_ text: String) -> Decimal? {
        if text == "nan" { return .nan }
        let parts = text.lowercased().split(separator: "e", omittingEmptySubsequences: false)
        guard isNumber(text), let exponent = parts.count < 2 ? 0 : Int(parts[1]) else { return nil }
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = mantissa[0].drop { $0 == "-" }
        let fraction = mantissa.count < 2 ? "" : mantissa[1]
        let digits = Array((whole + fraction).drop { $0 == "0" })
        let trailing = digits.reversed().prefix { $0 == "0" }.count
        guard digits.count > trailing else { return .zero }
        let scale = exponent.addingReportingOverflow(trailing - fraction.count)
        guard digits.count - trailing <= 38, !scale.overflow,
            (-128...127).contains(scale.partialValue)
        else { return nil }
        let significant = String(digits.dropLast(trailing))
        return Decimal(
            string: "\(text.first == "-" ? "-" : "")\(significant)e\(scale.partialValue)"
        )
    }

    private static func isNumber(_ text: String) -> Bool {
        var scanner = TextScanner(text)
        return (try? scanner.number()) != nil && scanner.isAtEnd
    }

    private static func date(_ text: String) throws(ValueMistake) -> Date {
        switch text {
        case "nan": return Date(timeIntervalSinceReferenceDate: .nan)
        case "inf": return Date(timeIntervalSinceReferenceDate: .infinity)
        case "-inf": return Date(timeIntervalSinceReferenceDate: -.infinity)
        default:
            do throws(TextMistake) {
                return try Timestamp.date(text)
            } catch {
                throw ValueMistake(expected: error.expected, found: quoted(text))
            }
        }
    }
}

extension Value {
    /// The value as a cell of a table for people; nil is empty.
    var cell: String {
        switch self {
        case .null: return ""
        case .string(let text), .reference(let text): return text
        case .data(let data): return "<\(Quantity.bytes(data.count))>"
        default:
            var writer = JSONWriter()
            writer.value(self)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            return text.first == "\"" ? String(text.dropFirst().dropLast()) : text
        }
    }
}

extension ValueType {
    /// What a value of this type looks like, as the object of "expected".
    var expectation: String {
        switch self {
        case .bool: "true or false"
        case .int: "a whole number of 64 bits"
        case .double, .float: "a number, nan, inf or -inf"
        case .string: "a string"
        case .data: "base64"
        case .date: "a date such as 2024-05-31 or 2024-05-31T12:00:00Z"
        case .uuid: "a UUID such as 123e4567-e89b-12d3-a456-426614174000"
        case .decimal: "a number of at most 38 digits"
        case .list, .set: "a JSON array"
        case .map, .embedded: "a JSON object"
        case .reference: "an identifier"
        }
    }

    /// Whether columns of this type are lined up on the right.
    var isNumeric: Bool {
        switch self {
        case .int, .double, .float, .decimal: true
        default: false
        }
    }
}
