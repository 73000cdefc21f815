import ExportFormats
import LegacyRecords
import RealmFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RealmValue {
    /// The same in the words of all sources; nil for null, and for what they have no word for. Of a list only that it
    /// is one: no field of a music library is.
    var legacy: LegacyValue? {
        switch self {
        case .null, .link, .typedLink, .set, .dictionary: nil
        case .integer(let value): .integer(value)
        case .boolean(let value): .bool(value)
        case .string(let value): .string(value)
        case .data(let value): .data(Data(value))
        case .float(let value): .double(Double(value))
        case .double(let value): .double(value)
        case .timestamp(let value): .date(value.date)
        case .decimal(let value): .string(value.description)
        case .objectID(let value): .string(value.description)
        case .uuid(let value): .string(value.description)
        case .list: .list([])
        }
    }

    /// The text of an identifier; nil where there is none.
    var identifier: String? {
        switch self {
        case .integer(let value): String(value)
        case .string(let value): value
        case .objectID(let value): value.description
        case .uuid(let value): value.description
        default: nil
        }
    }

    /// Whether the value is a date that tells less as the nearest `Date`.
    var isRoundedDate: Bool {
        guard case .timestamp(let value) = self else { return false }
        return value.date.hasLost(seconds: value.seconds, nanoseconds: Int64(value.nanoseconds))
    }
}

extension RealmTimestamp {
    /// Seconds between the beginning of 1970 and that of 2001.
    private static let referenceSeconds: Int64 = 978_307_200

    /// The nearest date, which is a Double of seconds since 2001.
    var date: Date {
        let (seconds, overflow) = seconds.subtractingReportingOverflow(Self.referenceSeconds)
        let whole = overflow ? Double(self.seconds) : Double(seconds)
        return Date(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1_000_000_000)
    }
}
