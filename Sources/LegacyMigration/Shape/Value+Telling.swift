import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// Whether another thing hardly has it by chance: a text, a date, bytes, or a number that is not whole or is large.
    var isTelling: Bool {
        switch self {
        case .null, .bool, .reference: false
        case .int(let number): !NamingText.isCount(Double(number))
        case .double(let number): !NamingText.isCount(number)
        case .float(let number): !NamingText.isCount(Double(number))
        case .decimal(let number): !NamingText.isCount("\(number.magnitude)")
        case .string(let text): !text.isEmpty && !NamingText.isCount(text)
        case .data(let bytes): !bytes.isEmpty
        case .date(let date): !Self.isNever(date)
        case .uuid(let id): id != Self.noUUID
        case .list(let elements), .set(let elements): elements.contains(where: \.isTelling)
        case .map(let entries), .embedded(let entries): entries.contains { $0.value.isTelling }
        }
    }

    /// Whether it says nothing at all.
    var isNothing: Bool {
        switch self {
        case .null: true
        case .bool(let isTrue): !isTrue
        case .int(let number): number == 0
        case .double(let number): number == 0
        case .float(let number): number == 0
        case .decimal(let number): number == 0
        case .string(let text), .reference(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        case .date(let date): Self.isNever(date)
        case .uuid(let id): id == Self.noUUID
        case .list(let elements), .set(let elements): elements.isEmpty
        case .map(let entries), .embedded(let entries): entries.isEmpty
        }
    }

    /// Whether it is a text, or a whole number, and says what another text says.
    func isText(_ text: String) -> Bool {
        switch self {
        case .string(let own), .reference(let own): own.utf8.elementsEqual(text.utf8)
        case .int(let number): text.utf8.count <= Self.integerByteCountMax && "\(number)" == text
        default: false
        }
    }

    /// Whether a date is one that stands for none: where one of the systems begins to count, or before everything.
    private static func isNever(_ date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        return seconds == 0 || date.timeIntervalSinceReferenceDate == 0 || seconds < endOfYearOne
    }

    /// That of `Int64.min`.
    private static let integerByteCountMax = 20
    /// As seconds since 1970.
    private static let endOfYearOne = -62_104_060_800.0
    private static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
