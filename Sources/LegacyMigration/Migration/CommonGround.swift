import Reprise

/// What says that an export is a newer one of what a source gave before, and what says that it is another one of the
/// same file name (Specs/format/migration.md, "Another export").
struct CommonGround {
    /// How many records are for certain what the source gave before, or very likely.
    private(set) var supportingCount = 0
    /// How many may be, and say too little.
    private(set) var agreeingCount = 0
    /// How many have the number of a row, and say something else than it does.
    private(set) var contradictingCount = 0
    /// How many rows of before the export lacks. Those do not count that an interrupted migration has made which is to
    /// be taken up.
    var missingCount = 0
    /// How many records have no row, or one that an interrupted migration has made which is to be taken up: they are as
    /// new as before that, whatever it has written.
    var newCount = 0
    /// Whether a list that the identity of the source names, as a playlist is named, has an entry in common with the
    /// export.
    var hasCommonEntry = false
    /// Whether such a list has entries, and the export none of them.
    var hasOtherList = false

    /// As many times as many records may be other ones as are common.
    private static let othersPerCommon = 4
    /// So many must agree for each that contradicts.
    private static let agreeingPerContradiction = 16
    /// As many records as hardly all change from one export to the next.
    private static let contradictionsOfAnother = 16

    /// Notes a record that has a row of before.
    ///
    /// - Parameter mayContradict: whether the row was there before a migration that is to be taken up.
    mutating func note(_ key: KeySort, _ likeness: Likeness, mayContradict: Bool) {
        switch (key, likeness.verdict) {
        case (.telling, _), (_, .alike): supportingCount += 1
        case (.short, _), (.counting, .faint): agreeingCount += 1
        case (.counting, .other): if mayContradict { contradictingCount += 1 }
        case (.counting, .unknown): break
        }
    }

    /// Notes a record that says what an interrupted migration, which is to replace everything, has written over a row:
    /// that row was another one.
    mutating func noteReplacement(_ likeness: Likeness) {
        switch likeness.verdict {
        case .alike, .faint: contradictingCount += 1
        case .other, .unknown: break
        }
    }

    /// Whether what comes cannot change any more that the export is related.
    ///
    /// - Parameter rowCount: how many rows the store has, at least those of the source.
    func isRelatedForCertain(rowCount: Int) -> Bool {
        hasCommonEntry || supportingCount > 0 && supportingCount * Self.othersPerCommon >= rowCount
    }

    /// Whether rows of before, or the entries of a list, would go or become others, and too little says that they are
    /// of the same thing.
    var isUnrelated: Bool {
        let mayReplace = missingCount > 0 || hasOtherList || contradictingCount >= Self.contradictionsOfAnother
        if hasCommonEntry || !mayReplace { return false }
        var common = supportingCount
        if agreeingCount >= contradictingCount * Self.agreeingPerContradiction { common += agreeingCount }
        // What is gone and what is new may have been put in each other's place.
        let others = contradictingCount + min(missingCount, newCount)
        return common == 0 || common * Self.othersPerCommon < others
    }
}

extension CommonGround {
    /// What the key of a record says of what it is.
    enum KeySort {
        /// It only counts (``LegacyRecord/isNumbered``).
        case counting
        /// A word that an app may have made, as `theme` is: another one has it as well.
        case short
        /// Long enough to be no one else's.
        case telling

        init(_ record: ShapedRecord) {
            if record.isNumbered {
                self = .counting
            } else {
                self = record.key.utf8.count < Self.tellingByteCount ? .short : .telling
            }
        }

        /// That of the shortest identifiers that are drawn by chance, as iTunes has them.
        private static let tellingByteCount = 16
    }

    /// How far a record says what a row says. What is nothing, zero or false on either side says nothing: an attribute
    /// may be new, or given up.
    struct Likeness {
        enum Verdict {
            /// It says more that is the same than is not, and so does what another thing hardly has by chance.
            case alike
            /// What it says is the same, and nothing of it is telling.
            case faint
            case other
            /// It says nothing that the row says something of.
            case unknown
        }

        private var same = Count()
        private var different = Count()

        private struct Count {
            var all = 0
            var telling = 0

            mutating func add(_ isTelling: Bool) {
                all += 1
                telling += isTelling ? 1 : 0
            }
        }

        var verdict: Verdict {
            if same.telling > different.telling, same.all > different.all { return .alike }
            if different.all > 0 { return .other }
            return same.all > 0 ? .faint : .unknown
        }

        /// Notes a value that the source had said before.
        mutating func noteSame(_ value: Value) {
            if !value.isNothing { same.add(value.isTelling) }
        }

        /// Notes what the export says, and what the store has.
        mutating func note(_ value: Value, stored: Value) {
            if value.isNothing || stored.isNothing { return }
            if value == stored {
                same.add(value.isTelling)
            } else {
                different.add(value.isTelling && stored.isTelling)
            }
        }
    }
}
