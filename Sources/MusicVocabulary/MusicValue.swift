package import LegacyRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the value of a source fit a field of the music library.
package enum MusicValue {
    /// What became of a value.
    package enum Fitted {
        case value(LegacyValue)
        /// There is none.
        case missing
        case refused(LegacyWarning.Kind, String)
    }

    package static func fitted(_ value: LegacyValue?, to kind: MusicField.Kind) -> Fitted {
        guard let value else { return .missing }
        return switch kind {
        case .text: text(value)
        case .number: number(value)
        case .integer(let least, let most): integer(value, least, most)
        case .flag: flag(value)
        case .date: date(value)
        case .members, .owner: .refused(.unexpectedType, "leads to no record")
        }
    }

    private static func text(_ value: LegacyValue) -> Fitted {
        switch value {
        case .string: .value(value)
        case .integer(let number): .value(.string(String(number)))
        case .uuid(let uuid): .value(.string(uuid.uuidString.lowercased()))
        default: .refused(.unexpectedType, "is no text")
        }
    }

    private static func number(_ value: LegacyValue) -> Fitted {
        switch value {
        case .double: .value(value)
        case .integer(let number):
            Int64(exactly: Double(number)) == number
                ? .value(.double(Double(number)))
                : .refused(.valueOutOfRange, "is \(number), which a Double cannot hold")
        default: .refused(.unexpectedType, "is no number")
        }
    }

    private static func integer(_ value: LegacyValue, _ least: Int64, _ most: Int64) -> Fitted {
        let number: Int64
        switch value {
        case .integer(let value): number = value
        case .double(let value):
            guard let exact = Int64(exactly: value) else {
                return .refused(.unexpectedType, "is \(value)")
            }
            number = exact
        default: return .refused(.unexpectedType, "is no whole number")
        }
        guard (least...most).contains(number) else {
            return .refused(.valueOutOfRange, "is \(number)")
        }
        return .value(.integer(number))
    }

    private static func flag(_ value: LegacyValue) -> Fitted {
        switch value {
        case .bool: .value(value)
        case .integer(0): .value(.bool(false))
        case .integer(1): .value(.bool(true))
        default: .refused(.unexpectedType, "is neither true nor false")
        }
    }

    private static func date(_ value: LegacyValue) -> Fitted {
        switch value {
        case .date: .value(value)
        default: .refused(.unexpectedType, "is no date")
        }
    }
}
