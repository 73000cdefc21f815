public import LegacyRecords

/// One thing in which a store and an export differ.
public struct MigrationDifference: Sendable, Equatable {
    /// What sort of difference.
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        /// The export has a record that the store has not.
        case missing
        /// An attribute or a to-one has another value.
        case differentValue
        /// A list has other members, or has them in another order.
        case differentList
        /// A record is in a list, but does not know of it from its own side.
        case oneSided
        /// The store has a record that came from this source, and the export has it no longer.
        case surplus
    }

    public let kind: Kind
    /// The stored name of the model.
    public let model: String
    /// The identifier in the store.
    public let id: String
    /// The attribute or relationship; nil for the whole record.
    public let name: String?
    /// One sentence: what is expected, and what was found.
    public let message: String
    /// Whether somebody else than the source's migrations made it so in the store: changed the value since the source
    /// said something of it, changed the list, put the members of a list on the other side of a to-one there or
    /// elsewhere, or deleted the record. Of a record that the export lacks, whether anything of what was changed still
    /// stands, so that a migration keeps it; of one that is in a list and does not know it, whether anything of the
    /// record was changed.
    public let isChangedHere: Bool
}

/// What a comparison of an export with a store found.
public struct MigrationVerification: Sendable {
    /// The library that was compared.
    public let source: SourceIdentity
    /// Records compared, by the stored name of the model.
    public internal(set) var recordCounts: [String: Int] = [:]
    /// Attributes and to-ones compared, those without a value included.
    public internal(set) var valueCount = 0
    /// Entries of lists compared, from both sides where there are two.
    public internal(set) var entryCount = 0
    /// All differences, by kind.
    public internal(set) var differenceCounts: [MigrationDifference.Kind: Int] = [:]
    /// The first of them; see ``MigrationVerifier/Options/differenceCountMax``.
    public internal(set) var differences: [MigrationDifference] = []
    /// What was skipped, defaulted, rounded or left out when the export was read, by kind.
    public internal(set) var warningCounts: [LegacyWarning.Kind: Int] = [:]
    /// The first few warnings of each kind.
    public internal(set) var warnings: [LegacyWarning] = []
    /// What the source read, with the hash of the export.
    public internal(set) var reading = LegacyReading()

    init(source: SourceIdentity) {
        self.source = source
    }

    /// Whether the store holds what the export says.
    public var isEqual: Bool { differenceCounts.isEmpty }
    /// Whether the export itself could be represented without any loss; notes are none.
    public var isLossless: Bool { warningCounts.keys.allSatisfy(\.isNote) }
}
