import ExportFormats
package import LegacyRecords
package import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became of a value that should be of a certain type.
package enum FittedValue {
    case value(LegacyValue)
    /// The nearest date to a text that says more digits than a date holds.
    case rounded(LegacyValue)
    /// The nearest number to a text that says more digits than its type holds.
    case shortened(LegacyValue)
    case refused(LegacyWarning.Kind, String)
}

/// How a text may spell a number or a truth value.
package enum Spelling {
    /// As it would be written again: nobody has said that the text is one.
    case canonical
    /// In any way that is customary, as `+7`, `007` and `yes`: a mapping wants it to be one.
    case customary
}

extension LegacyValue {
    /// The same value as one of `type`, where nothing is lost: numbers that stay the same, 0 and 1 as truth values,
    /// texts that spell a number, a date or a UUID, and these as texts.
    package func fitted(to type: ValueType, _ spelling: Spelling = .customary) -> FittedValue {
        if Value(self, as: type) != nil { return .value(self) }
        switch (self, type) {
        case (.double(let number), .int):
            return Self.integer(Int64(exactly: number), "is \(number)")
        case (.decimal(let number), .int):
            return Self.integer(Int64("\(number)"), "is \(number)")
        case (.bool(let flag), .int): return .value(.integer(flag ? 1 : 0))
        case (.integer(0), .bool): return .value(.bool(false))
        case (.integer(1), .bool): return .value(.bool(true))
        case (.integer(let number), .double):
            return .refused(.valueOutOfRange, "is \(number), which a Double cannot hold")
        case (.decimal(let number), .double):
            // The nearest Double, if it spells the same.
            let text = "\(number)"
            if let double = Double(text), Decimal(string: "\(double)") == number {
                return .value(.double(double))
            }
            return .refused(.valueOutOfRange, "is \(text), which a Double cannot hold")
        case (.double(let number), .decimal): return Self.decimal("\(number)")
        case (.float(let number), .decimal): return Self.decimal("\(number)")
        case (.data(let bytes), .uuid):
            guard let uuid = Self.uuid(bytes) else { return .refused(.unexpectedType, "is no UUID") }
            return .value(.uuid(uuid))
        case (.string(let text), _): return Self.fitted(text, to: type, spelling)
        case (_, .string):
            guard let text = identifierText else {
                return .refused(.unexpectedType, "is no text")
            }
            return .value(.string(text))
        case (_, .bool): return .refused(.unexpectedType, "is neither true nor false")
        case (_, .date): return .refused(.unexpectedType, "is no date")
        case (_, .int): return .refused(.unexpectedType, "is no whole number")
        case (_, .double), (_, .decimal), (_, .float):
            return .refused(.unexpectedType, "is no number")
        default: return .refused(.unexpectedType, "is of another type")
        }
    }

    private static func fitted(_ text: String, to type: ValueType, _ spelling: Spelling) -> FittedValue {
        if type == .date, let instant = DateText.instant(text) {
            return instant.isRounded ? .rounded(.date(instant.date)) : .value(.date(instant.date))
        }
        if type == .double, spelling == .customary, let found = CustomaryText.double(text) {
            return found.isShortened ? .shortened(.double(found.number)) : .value(.double(found.number))
        }
        let fitted: LegacyValue? =
            switch (type, spelling) {
            case (.int, .canonical): CanonicalText.integer(text).map { .integer($0) }
            case (.int, .customary): Int64(text).map { .integer($0) }
            case (.double, .canonical): CanonicalText.double(text).map { .double($0) }
            case (.decimal, .canonical): CanonicalText.decimalWithZeros(text).map { .decimal($0) }
            case (.decimal, .customary): DecimalText.decimal(text).map { .decimal($0) }
            case (.bool, .canonical): CanonicalText.bool(text).map { .bool($0) }
            case (.bool, .customary): CustomaryText.bool(text).map { .bool($0) }
            case (.uuid, _): UUID(uuidString: text).map { .uuid($0) }
            default: nil
            }
        guard let fitted else {
            return .refused(.unexpectedType, "is the text \(LibraryReport.quoted(text))")
        }
        return .value(fitted)
    }

    private static func integer(_ number: Int64?, _ reason: String) -> FittedValue {
        guard let number else { return .refused(.unexpectedType, reason) }
        return .value(.integer(number))
    }

    /// The decimal that a binary number is written as: 0.1 is 0.1.
    private static func decimal(_ text: String) -> FittedValue {
        guard let number = DecimalText.decimal(text) else {
            return .refused(.valueOutOfRange, "is \(text), which a Decimal cannot hold")
        }
        return .value(.decimal(number))
    }

    /// The value as the text of an identifier; nil where it is none.
    var identifierText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .decimal(let number): number.isNaN ? nil : "\(number)"
        case .data(let bytes):
            Self.uuid(bytes)?.uuidString.lowercased() ?? (bytes.isEmpty ? nil : Hexadecimal.lowercase(bytes))
        default: nil
        }
    }

    private static func uuid(_ bytes: Data) -> UUID? {
        guard bytes.count == 16 else { return nil }
        let digits = Array(Hexadecimal.lowercase(bytes))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return UUID(uuidString: groups.joined(separator: "-"))
    }
}
