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
        case .int(let number): !Self.isCount(Double(number))
        case .double(let number): !Self.isCount(number)
        case .float(let number): !Self.isCount(Double(number))
        case .decimal(let number): !LegacyRecord.isCount("\(number.magnitude)")
        case .string(let text): !text.isEmpty && !LegacyRecord.isCount(text)
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

    /// Whether it says what a text says, and nothing else: an attribute that repeats a key.
    func isText(_ text: String) -> Bool {
        switch self {
        case .string(let own): own.utf8.elementsEqual(text.utf8)
        case .int(let number): "\(number)".utf8.elementsEqual(text.utf8)
        default: false
        }
    }

    /// Whether a date is one that stands for none: where one of the systems begins to count, or before everything.
    private static func isNever(_ date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        return seconds == 0 || date.timeIntervalSinceReferenceDate == 0 || seconds < endOfYearOne
    }

    /// As seconds since 1970.
    private static let endOfYearOne = -62_104_060_800.0
    private static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Whether a number is one as things are counted with (``LegacyRecord/isCount(_:)``).
    private static func isCount(_ number: Double) -> Bool {
        number.magnitude < 10_000_000 && number == number.rounded()
    }
}
