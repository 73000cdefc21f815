import ExportFormats
import LegacyRecords
public import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a rule of a mapping makes of the values of a field, whatever the export takes them for.
public enum FieldType: Sendable, Hashable {
    /// How values count time.
    public enum DateCount: String, Sendable, CaseIterable {
        /// Seconds since 1970.
        case unix
        /// Milliseconds since 1970.
        case unixMilliseconds
        /// Seconds since 2001, as `Date` and Core Data count.
        case apple
        /// Days since noon of 24 November 4714 BC.
        case julian
        /// Texts such as `2024-02-29T12:00:00Z`, in UTC where they say no offset.
        case iso8601
    }

    case bool, int, double, decimal, uuid
    case date(DateCount)

    /// The words of a mapping file, such as `date(apple)`.
    public static let names =
        ["bool", "int", "double", "decimal", "uuid"] + DateCount.allCases.map { "date(\($0.rawValue))" }

    /// - Parameter name: one of ``names``.
    public init?(_ name: String) {
        switch name {
        case "bool": self = .bool
        case "int": self = .int
        case "double": self = .double
        case "decimal": self = .decimal
        case "uuid": self = .uuid
        default:
            let count = DateCount.allCases.first { name == "date(\($0.rawValue))" }
            guard let count else { return nil }
            self = .date(count)
        }
    }

    /// The type of the attribute.
    public var valueType: ValueType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .decimal: .decimal
        case .uuid: .uuid
        case .date: .date
        }
    }
}

extension LegacyValue {
    /// The same value as one of a rule's type, and then of the target's.
    func fitted(to given: FieldType?, _ type: ValueType) -> FittedValue {
        guard let given else { return fitted(to: type) }
        let found = fitted(to: given)
        guard case .value(let value) = found, given.valueType != type else { return found }
        return value.fitted(to: type)
    }

    private func fitted(to type: FieldType) -> FittedValue {
        guard case .date(let count) = type else { return fitted(to: type.valueType) }
        switch (self, count) {
        case (.string, .iso8601), (.date, _): return fitted(to: .date)
        case (_, .iso8601): return .refused(.unexpectedType, "is no text of a date")
        case (.string(let text), _):
            guard let number = CustomaryText.double(text) else { return fitted(to: .date) }
            return Self.date(number.number, count)
        case (.integer(let number), _):
            return count.unit.isDate(number) ? .value(.date(count.unit.date(number))) : Self.noDate
        case (.double(let number), _): return Self.date(number, count)
        case (.decimal(let number), _):
            return Double("\(number)").map { Self.date($0, count) } ?? fitted(to: .date)
        default: return .refused(.unexpectedType, "is no number")
        }
    }

    private static func date(_ number: Double, _ count: FieldType.DateCount) -> FittedValue {
        let unit = count.unit
        guard unit.isDate(number) else { return noDate }
        let date = LegacyValue.date(unit.date(number))
        return unit.isRounded(number) ? .rounded(date) : .value(date)
    }

    private static var noDate: FittedValue { .refused(.valueOutOfRange, "is no date that is counted so") }
}

extension FieldType.DateCount {
    fileprivate var unit: DateUnit {
        switch self {
        case .unix, .iso8601: .secondsSince1970
        case .unixMilliseconds: .millisecondsSince1970
        case .apple: .secondsSince2001
        case .julian: .julianDays
        }
    }
}
