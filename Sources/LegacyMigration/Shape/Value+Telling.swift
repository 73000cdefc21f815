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
        case .date, .uuid: true
        case .list(let elements), .set(let elements): elements.contains(where: \.isTelling)
        case .map(let entries), .embedded(let entries): entries.contains { $0.value.isTelling }
        }
    }

    /// Whether a number is one as things are counted with (``LegacyRecord/isCount(_:)``).
    private static func isCount(_ number: Double) -> Bool {
        number.magnitude < 10_000_000 && number == number.rounded()
    }
}
