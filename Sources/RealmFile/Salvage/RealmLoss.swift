/// Something of a damaged file that could not be salvaged.
public struct RealmLoss: Sendable, Equatable, CustomStringConvertible {
    /// What sort of thing.
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        /// A class: neither its properties nor its objects can be read.
        case `class`
        /// Objects of which not every value is whole, or one is larger than is read.
        case objects
        /// Links of an object that is whole, which lead to objects that are not.
        case links
        /// Links of an object that is whole, which their targets do not know of, or that targets know of and it does
        /// not.
        case doubtfulLinks
        /// What targets know of the links to them.
        case origins
        /// Bytes that nothing leads to any more.
        case unclaimedBytes
    }

    /// What sort of thing.
    public let kind: Kind
    /// The class, nil where it is not known.
    public let className: String?
    /// The keys of the objects that are hit, from the first to the last; of a part of a class that cannot be read, all
    /// that its objects could have. Nil for a whole class.
    public let keys: ClosedRange<Int64>?
    /// How many objects, links or bytes; nil where that cannot be told.
    public let count: Int?
    /// The property that is hit, where it is one.
    public let property: String?
    /// Where in the file, in bytes from its start (of the decrypted content where it is encrypted), where that is
    /// known.
    public let offset: UInt64?
    /// One sentence: why.
    public let reason: String

    init(
        _ kind: Kind,
        _ className: String?,
        _ error: RealmFileError,
        keys: ClosedRange<Int64>? = nil,
        count: Int? = nil,
        property: String? = nil
    ) {
        self.kind = kind
        self.className = className
        self.keys = keys
        self.count = count
        self.property = property
        offset = error.offset
        reason = error.message
    }

    /// What is lost, where it lay, and why.
    public var description: String {
        let place = offset.map { " (at byte \($0))" } ?? ""
        return "\(subject): \(reason)\(place)"
    }

    private var subject: String {
        let name = className ?? "?"
        let path = property.map { "\(name).\($0)" } ?? name
        switch kind {
        case .class: return "class \(name)"
        case .objects: return "\(number("object")) of \(path)\(range)"
        case .links: return "\(number("link")) of \(path)\(range)"
        case .doubtfulLinks: return "\(number("doubtful link")) of \(path)\(range)"
        case .origins: return "the links to \(path)\(range)"
        case .unclaimedBytes: return number("byte")
        }
    }

    private func number(_ noun: String) -> String {
        guard let count else { return "\(noun)s" }
        return count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    private var range: String {
        guard let keys else { return "" }
        if keys.lowerBound == keys.upperBound { return " (\(keys.lowerBound))" }
        if keys.upperBound == .max { return " (\(keys.lowerBound) and later)" }
        return " (\(keys.lowerBound) to \(keys.upperBound))"
    }
}

/// The losses so far: all are counted, and a number of them kept.
struct LossList {
    /// Each takes a few hundred bytes: of a small file fewer are kept, of which no app has as many.
    static let keptCountMax = 100_000
    private static let keptCountMin = 10_000
    private static let byteCountOfEach = 128
    private let countMax: Int
    private(set) var kept: [RealmLoss] = []
    private(set) var counts: [RealmLoss.Kind: Int] = [:]

    /// - Parameter byteCount: the size of the file.
    init(in byteCount: Int) {
        countMax = min(Self.keptCountMax, max(Self.keptCountMin, byteCount / Self.byteCountOfEach))
    }

    mutating func append(_ loss: RealmLoss) {
        counts[loss.kind, default: 0] += 1
        if kept.count < countMax { kept.append(loss) }
    }
}
