import Reprise

/// How far the records of a class say what the rows say that have their keys, beyond what any two of the class have in
/// common: whether the keys name the same things.
struct ClassLikeness {
    /// What is counted of the values of one attribute.
    private struct Tally {
        var comparedCount = 0
        var sameCount = 0
        /// Those for which there was another row to ask.
        var controlledCount = 0
        /// As many of these as are expected to be the same by chance.
        var expectedCount = 0.0

        mutating func note(isSame: Bool, chance: Double?) {
            comparedCount += 1
            if isSame { sameCount += 1 }
            if let chance {
                controlledCount += 1
                expectedCount += chance
            }
        }

        /// Which share is the same by chance.
        var chance: Double { controlledCount == 0 ? 0 : min(expectedCount / Double(controlledCount), 1) }
        /// Whether other rows as good as never say something else, so that it tells nothing.
        var isConstant: Bool { chance > ClassLikeness.chanceMax }
    }

    private static let chanceMax = 15.0 / 16

    /// By the place of the attribute; that of a drawn part of the key comes last.
    private var all: [Tally]
    /// Of telling values alone.
    private var telling: [Tally]
    /// How many records and rows say nothing but that they are there.
    private var bareCount = 0
    /// How many have nothing that both say, though one of them says something.
    private var silentCount = 0
    /// How many keys there were, which is how many records, and how many of these only count.
    private(set) var keyCount = 0
    private var countedCount = 0

    init(attributeCount: Int) {
        all = [Tally](repeating: Tally(), count: attributeCount + 1)
        telling = all
    }

    /// Notes something that a record and its row both say. What is nothing, zero or false on either side is none: an
    /// attribute may be new, or given up.
    ///
    /// - Parameters:
    ///   - place: that of the attribute; nil of a drawn part of the key.
    ///   - chance: how many other rows have what the record says; nil where there is none.
    mutating func note(at place: Int?, isSame: Bool, isTelling: Bool, chance: Double?) {
        let place = place ?? all.count - 1
        all[place].note(isSame: isSame, chance: chance)
        if isTelling { telling[place].note(isSame: isSame, chance: chance) }
    }

    /// Notes that there is nothing that both say.
    ///
    /// - Parameter isIdentical: whether the row has each attribute as the record has it.
    mutating func noteSilence(isIdentical: Bool) {
        if isIdentical { bareCount += 1 } else { silentCount += 1 }
    }

    /// Notes the key of a record.
    mutating func noteKey(_ namingParts: [String]) {
        keyCount += 1
        if namingParts.allSatisfy(NamingText.isCount) { countedCount += 1 }
    }

    /// Whether the keys only count: another one of the class is likely to have the same but for its digits.
    private func isCounted(_ controls: ControlRows) -> Bool {
        controls.seriesShare.map { $0 * Self.keysPerSeries >= 1 } ?? (countedCount == keyCount)
    }

    private static let keysPerSeries = 4.0
    /// How much of the deviation of a control counts: each record is compared with others of them, so that they are on
    /// one side of the pairs alone.
    private static let controlWeight = 0.5

    /// Which part of the values is the same that would not be so by chance; nil where that is asked of none.
    ///
    /// Attributes that follow from one another deviate together, so what they may deviate adds up: by the values that
    /// were compared, and by the rows that stand for all others.
    private static func known(
        _ tallies: [Tally],
        _ controlCount: Int
    ) -> (share: Double, recordCount: Int)? {
        var (comparedCount, sameCount, recordCount) = (0, 0, 0)
        var (expected, deviation) = (0.0, 0.0)
        let ofControls = Self.controlWeight / Double(max(controlCount, 1)).squareRoot()
        for tally in tallies where tally.comparedCount > 0 && !tally.isConstant {
            comparedCount += tally.comparedCount
            sameCount += tally.sameCount
            recordCount = max(recordCount, tally.comparedCount)
            let (count, chance) = (Double(tally.comparedCount), tally.chance)
            expected += count * chance
            let ofOne = (chance * (1 - chance)).squareRoot()
            deviation += ofOne * (count.squareRoot() + count * ofControls)
        }
        guard comparedCount > 0 else { return nil }
        if sameCount == comparedCount { return (1, recordCount) }
        let excess = Double(sameCount) - expected - deviation
        return (min(max(excess / (Double(comparedCount) - expected), 0), 1), recordCount)
    }

    /// What that says of the export, as numbers of records.
    ///
    /// - Parameter controls: the rows that were compared with beside their own.
    func outcome(_ controls: ControlRows) -> Outcome {
        var outcome = Outcome()
        if keyCount == 0 { return outcome }
        let isCounted = isCounted(controls)
        if let known = Self.known(isCounted ? telling : all, controls.count) {
            outcome.supporting = known.share * Double(known.recordCount)
            outcome.contradicting = (1 - known.share) * Double(known.recordCount)
        } else if let known = Self.known(all, controls.count) ?? sameByChance {
            outcome.agreeing = known.share * Double(known.recordCount)
            outcome.contradicting = (1 - known.share) * Double(known.recordCount)
        }
        if !isCounted {
            outcome.agreeing += Double(bareCount + silentCount)
        } else {
            outcome.bareCount = bareCount
        }
        return outcome
    }

    /// Which part of the values is the same, where nothing but chance is to be expected.
    private var sameByChance: (share: Double, recordCount: Int)? {
        let comparedCount = all.reduce(0) { $0 + $1.comparedCount }
        guard comparedCount > 0 else { return nil }
        let sameCount = all.reduce(0) { $0 + $1.sameCount }
        return (Double(sameCount) / Double(comparedCount), all.map(\.comparedCount).max() ?? 0)
    }

    struct Outcome: Equatable {
        /// Records that are likely those of before.
        var supporting = 0.0
        /// Those that may be, and say too little.
        var agreeing = 0.0
        /// Those that are likely others with the same key.
        var contradicting = 0.0
        /// Those that say nothing but that there is a row with a number.
        var bareCount = 0

        static func += (sum: inout Outcome, other: Outcome) {
            sum.supporting += other.supporting
            sum.agreeing += other.agreeing
            sum.contradicting += other.contradicting
            sum.bareCount += other.bareCount
        }
    }
}
