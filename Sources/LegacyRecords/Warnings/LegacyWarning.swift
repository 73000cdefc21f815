/// Something in an export that was repaired or left out. A reading goes on after it.
public struct LegacyWarning: Sendable, Equatable {
    /// What sort of thing; warnings are counted by it.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// A stable name, part of the report's format.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What sort of thing.
    public let kind: Kind
    /// One sentence that names the record and says what was done.
    public let message: String
    /// The class that it is about, by its stored name, where a mapping may settle it.
    package let className: String?

    /// - Parameters:
    ///   - kind: what sort of thing.
    ///   - message: one sentence that names the record and says what was done.
    public init(kind: Kind, message: String) {
        self.init(kind: kind, message: message, of: nil)
    }

    /// - Parameter className: the class that it is about, where a mapping may settle it.
    package init(kind: Kind, message: String, of className: String?) {
        self.kind = kind
        self.message = message
        self.className = className
    }
}

extension LegacyWarning.Kind {
    /// A record has no name; its title is empty.
    public static let missingName = Self(rawValue: "missingName")
    /// A record has no usable key of its own; it was given one made from its content.
    public static let missingKey = Self(rawValue: "missingKey")
    /// A record repeats the key of an earlier one; it was given the key with a number after it.
    public static let duplicateKey = Self(rawValue: "duplicateKey")
    /// A track has no number by which playlists could name it.
    public static let missingTrackID = Self(rawValue: "missingTrackID")
    /// Two tracks have the same number; playlists mean the later one.
    public static let duplicateTrackID = Self(rawValue: "duplicateTrackID")
    /// A playlist entry names a track that does not exist; the entry was left out.
    public static let missingTrack = Self(rawValue: "missingTrack")
    /// A playlist entry that names no track at all; it was left out.
    public static let malformedEntry = Self(rawValue: "malformedEntry")
    /// A playlist's parent does not exist or was skipped; the playlist has none.
    public static let missingParent = Self(rawValue: "missingParent")
    /// Playlists contain each other; one of them was given no parent.
    public static let parentCycle = Self(rawValue: "parentCycle")
    /// A field is named twice in a record; the later value counts.
    public static let repeatedField = Self(rawValue: "repeatedField")
    /// A number that is none, or does not fit 64 bits; the value was left out.
    public static let malformedNumber = Self(rawValue: "malformedNumber")
    /// A date that is none; the value was left out.
    public static let malformedDate = Self(rawValue: "malformedDate")
    /// A value outside what its field allows; it was left out.
    public static let valueOutOfRange = Self(rawValue: "valueOutOfRange")
    /// A value of another type than its field has; it was left out.
    public static let unexpectedType = Self(rawValue: "unexpectedType")
    /// A field of which an earlier export decided a type that does not hold all values: it has a wider one now.
    public static let widenedType = Self(rawValue: "widenedType")
    /// A property that the library has no field for; it was left out of all records.
    public static let unmappedProperty = Self(rawValue: "unmappedProperty")
    /// A class that the library has no model for; its objects were left out.
    public static let unmappedClass = Self(rawValue: "unmappedClass")
    /// A date with more digits than a `Date` holds; it was rounded to the nearest.
    public static let roundedDate = Self(rawValue: "roundedDate")
    /// A track that is in two albums, or in one of them twice; it stays where it was first.
    public static let repeatedMember = Self(rawValue: "repeatedMember")
    /// A link to an object that never arrived on the device; it was left out.
    public static let unresolvedLink = Self(rawValue: "unresolvedLink")
    /// A text names records by identifiers that a mapping has changed; it was taken over as it is.
    public static let staleIdentifier = Self(rawValue: "staleIdentifier")
    /// A playlist that iTunes fills by itself with all that the library has of a sort, or nothing; it was left out.
    public static let builtInPlaylist = Self(rawValue: "builtInPlaylist")
    /// A playlist that iTunes fills by itself with a choice of the tracks, such as purchases; it was left out.
    public static let leftOutPlaylist = Self(rawValue: "leftOutPlaylist")
    /// A mapping or a closure leaves out a class, or records of it.
    public static let leftOutByMapping = Self(rawValue: "leftOutByMapping")
    /// A name is in letters that cannot be typed everywhere, and was respelled.
    public static let respelledName = Self(rawValue: "respelledName")
    /// The export does not say which library it is; its file name stands in.
    public static let missingLibraryID = Self(rawValue: "missingLibraryID")
}

extension LegacyWarning.Kind {
    /// Whether it only says how something of the export was understood, and nothing is lost by it.
    public var isNote: Bool { Self.notes.contains(self) }

    /// Whether it says what is lost of a damaged file.
    public var isDamage: Bool { Self.damage.contains(self) }

    private static let damage: Set<Self> = [
        .damagedClass, .damagedObject, .damagedValue, .olderVersion, .unclaimedBytes,
    ]

    private static let notes: Set<Self> = [
        .bookkeepingTable, .builtInPlaylist, .generatedColumn, .guessedDate, .guessedEncoding, .guessedFlag,
        .guessedHeader, .guessedRelationship, .guessedUnit, .joinTable, .leftOutByMapping, .localChangeKept,
        .mixedTypes, .orderUnknown, .plainForeignKey, .requiredUnsaid, .respelledName, .rowNumberKey, .unexaminedTable,
        .widenedType,
    ]
}

/// Counts warnings by kind, and says which of them are still worth showing.
package struct WarningTally {
    /// How many of one kind are handed on: enough to see the pattern, few enough to read.
    static let shownPerKindMax = 20

    package private(set) var counts: [LegacyWarning.Kind: Int] = [:]

    package init() {}

    /// Counts one; returns whether it should be shown.
    package mutating func count(_ kind: LegacyWarning.Kind) -> Bool {
        let count = counts[kind, default: 0] + 1
        counts[kind] = count
        return count <= Self.shownPerKindMax
    }
}
