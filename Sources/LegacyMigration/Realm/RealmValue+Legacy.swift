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

    /// Whether the value cannot be told to the nanosecond any more.
    var isRoundedDate: Bool {
        guard case .timestamp(let value) = self else { return false }
        return RealmTimestamp.nearest(to: value.date) != (value.seconds, Int64(value.nanoseconds))
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

    /// A date's seconds since 1970 and nanoseconds.
    fileprivate static func nearest(to date: Date) -> (Int64, Int64) {
        let interval = date.timeIntervalSinceReferenceDate
        let whole = interval.rounded(.towardZero)
        guard let seconds = Int64(exactly: whole) else { return (.max, 0) }
        let (sum, overflow) = seconds.addingReportingOverflow(referenceSeconds)
        let nanoseconds = Int64(((interval - whole) * 1_000_000_000).rounded())
        guard !overflow else { return (.max, 0) }
        // Both parts of a Realm date have one sign.
        if sum > 0, nanoseconds < 0 { return (sum - 1, nanoseconds + 1_000_000_000) }
        if sum < 0, nanoseconds > 0 { return (sum + 1, nanoseconds - 1_000_000_000) }
        return (sum, nanoseconds)
    }
}
