import ExportFormats
import LegacyRecords
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an attribute that is read from text holds. The names of the cases stand in logs (Specs/format/migration.md).
enum ScalarType: String, Sendable {
    case bool, int, double, float, string, data, date, uuid, decimal
    /// 24 hexadecimal digits in lower case, stored as text.
    case objectID
    /// Anything, as compact JSON: for values that no other type holds all of.
    case json
    /// Anything in the words of the file, texts as they are and others as compact JSON: for what was text in an earlier
    /// export, as which the log has it.
    case words

    /// The type of the attribute.
    var valueType: ValueType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .float: .float
        case .string, .objectID, .json, .words: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .decimal: .decimal
        }
    }

    /// The type that `realm2json --schema` calls by this name; nil for links and what is not known.
    init?(realmName: String) {
        switch realmName {
        case "int": self = .int
        case "bool": self = .bool
        case "float": self = .float
        case "double": self = .double
        case "string": self = .string
        case "binary": self = .data
        case "timestamp": self = .date
        case "objectId": self = .objectID
        case "decimal128": self = .decimal
        case "uuid": self = .uuid
        case "mixed": self = .json
        default: return nil
        }
    }

    /// What stands in where a value is required and there is none.
    var emptyValue: LegacyValue {
        switch self {
        case .bool: .bool(false)
        case .int: .integer(0)
        case .double: .double(0)
        case .float: .float(0)
        case .string, .objectID, .json, .words: .string("")
        case .data: .data(Data())
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .decimal: .decimal(0)
        }
    }

    /// A value of this type.
    enum Conversion {
        case value(LegacyValue)
        /// A date that a `Date` does not hold to the nanosecond.
        case rounded(LegacyValue)
        /// A number that has more digits in the file than this type holds.
        case shortened(LegacyValue)
        case null
        /// A number beyond what this type holds.
        case tooLarge
        /// The value is of another type.
        case misfit
    }

    /// The same value as this type holds it.
    func convert(_ value: JSONValue, hasWrappers: Bool) -> Conversion {
        if self == .json { return value == .null ? .null : .value(.string(value.text)) }
        let typed = TypedJSON(value, hasWrappers: hasWrappers)
        if case .null = typed { return .null }
        switch self {
        case .date: return Self.date(typed)
        case .float, .double:
            guard let number = Self.double(typed) else { return .misfit }
            // A whole number has no sign where it is zero.
            if number == 0, case .number(let written) = value, let signed = written.double {
                return floating(signed, value)
            }
            return floating(number, value)
        case .words: return .value(.string(Self.words(value, typed)))
        default: return converted(typed).map { .value($0) } ?? .misfit
        }
    }

    /// A value other than null in the words of the file.
    private static func words(_ value: JSONValue, _ typed: TypedJSON) -> String {
        switch typed {
        case .string(let text), .objectID(let text), .decimal(let text): text
        default: if case .number(let number) = value { number.text } else { value.text }
        }
    }

    /// What a value is by itself, where it is a text, or a number and this type one of numbers: whoever has no place
    /// for that leaves it out. Nil for others.
    func unfitted(_ value: JSONValue, hasWrappers: Bool) -> LegacyValue? {
        let isOfNumbers = [.int, .double, .float, .decimal].contains(self)
        return switch TypedJSON(value, hasWrappers: hasWrappers) {
        case .string(let text): .string(text)
        case .integer(let number) where isOfNumbers: .integer(number)
        case .double(let number) where isOfNumbers: .double(number)
        default: nil
        }
    }

    /// A number as a float or a double; the text is that of the file.
    private func floating(_ number: Double, _ text: JSONValue) -> Conversion {
        let held = self == .float ? Double(Float(number)) : number
        guard held.isFinite == number.isFinite else { return .tooLarge }
        let value: LegacyValue = self == .float ? .float(Float(number)) : .double(number)
        guard case .number(let written) = text, written.isShortened(as: held) else {
            return .value(value)
        }
        return .shortened(value)
    }

    private static func date(_ typed: TypedJSON) -> Conversion {
        let instant: ScalarText.Instant
        switch typed {
        case .date(let milliseconds): instant = ScalarText.Instant(milliseconds: milliseconds)
        case .string(let text):
            guard let read = ScalarText.instant(text) else { return .misfit }
            instant = read
        default: return .misfit
        }
        let value = LegacyValue.date(instant.date)
        return instant.isRounded ? .rounded(value) : .value(value)
    }

    private func converted(_ typed: TypedJSON) -> LegacyValue? {
        switch (self, typed) {
        case (.bool, .bool(let value)): .bool(value)
        case (.int, .integer(let value)): .integer(value)
        case (.int, .double(let value)): Int64(exactly: value).map { .integer($0) }
        case (.string, .string(let text)): .string(text)
        case (.string, .objectID(let text)), (.objectID, .objectID(let text)): .string(text)
        case (.string, .decimal(let text)): .string(text)
        case (.objectID, .string(let text)): .string(text.lowercased())
        case (.data, .data(let data)): .data(data)
        case (.data, .string(let text)): Data(base64Encoded: text).map { .data($0) }
        case (.uuid, .uuid(let uuid)): .uuid(uuid)
        case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.decimal, .decimal(let text)), (.decimal, .string(let text)):
            ScalarText.decimal(text).map { .decimal($0) }
        case (.decimal, .integer(let value)): .decimal(Decimal(value))
        case (.decimal, .double(let value)): ScalarText.decimal("\(value)").map { .decimal($0) }
        default: nil
        }
    }

    private static func double(_ typed: TypedJSON) -> Double? {
        switch typed {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        case .string(let text): JSONNumber(word: text)?.double
        default: nil
        }
    }
}

extension ClassPlan.Shape {
    /// Whether it holds texts that stand for values of other types.
    var holdsWords: Bool {
        switch self {
        case .scalar(let type), .list(let type), .set(let type), .map(let type): type == .words
        default: false
        }
    }

    /// What stands in where a value is required and there is none; nil for relationships.
    var emptyValue: LegacyValue? {
        switch self {
        case .scalar(let type): type.emptyValue
        case .list: .list([])
        case .set: .set([])
        case .map: .map([])
        case .reference, .references, .owned, .ownedList, .none, .gone: nil
        }
    }
}
