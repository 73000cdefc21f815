/// What a verification found.
public struct VerificationReport: Sendable, Hashable {
    /// Events read.
    public internal(set) var eventCount = 0
    /// Rows compared.
    public internal(set) var rowCount = 0
    /// At most ``faultCountMax``; more are counted in ``omittedCount``.
    public internal(set) var faults: [Fault] = []
    /// How many faults were found beyond those that are described.
    public internal(set) var omittedCount = 0

    /// Whether nothing was found.
    public var isSound: Bool { faults.isEmpty }

    /// The most faults that are described.
    public static let faultCountMax = 100

    /// Something that is not as it must be.
    public struct Fault: Sendable, Hashable {
        /// Where in the store it was found.
        public let kind: Kind
        /// Where: a position, a key, a page.
        public let place: String
        /// What is wrong, in a sentence.
        public let message: String
    }

    /// The part of a store that a fault is in.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The pages of the file.
        case file
        /// The record that says how far log and views are.
        case state
        /// The log's blocks, their hashes and their chain.
        case log
        /// Events that cannot be folded, or whose digests do not agree.
        case replay
        /// Recorded consequences of a deletion that the rules in force do not lead to, or the reverse.
        case rules
        /// Views that differ from what the log folds to.
        case row, index, list, backlink, tombstone, label
    }

    mutating func add(_ kind: Kind, _ place: String, _ message: String) {
        if faults.count < Self.faultCountMax {
            faults.append(Fault(kind: kind, place: place, message: message))
        } else {
            omittedCount += 1
        }
    }
}
