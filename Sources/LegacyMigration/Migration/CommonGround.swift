import Reprise

/// What says that an export is a newer one of what a source gave before, and what says that it is another one of the
/// same file name (Specs/format/migration.md, "Another export").
struct CommonGround {
    /// How many rows of before the export lacks, by model. Those do not count that an interrupted migration has made
    /// which is to be taken up.
    var missingCounts: [String: Int] = [:]
    var missingCount: Int { missingCounts.values.reduce(0, +) }
    /// How many an interrupted migration has deleted which is to be taken up, by model.
    var deletedCounts: [String: Int] = [:]
    /// How many rows of before the export lacks or such a migration has deleted, by model: what a run has begun that
    /// was interrupted is judged as it was before.
    private var goneCounts: [String: Int] { missingCounts.merging(deletedCounts) { $0 + $1 } }
    var goneCount: Int { goneCounts.values.reduce(0, +) }
    /// How many records have no row, nor had one that the source knew, or one that an interrupted migration has made
    /// which is to be taken up: they are as new as before that, whatever it has written.
    var newCount = 0
    /// Whether a list that the identity of the source names, as a playlist is named, has an entry in common with the
    /// export.
    var hasCommonEntry = false
    /// Whether such a list has entries, and the export none of them.
    var hasOtherList = false

    /// By the ordinal of the class.
    private var classes: [Int: ClassGround] = [:]
    /// How many records came.
    private var recordCount = 0
    private var isCertain = false

    /// For each record in common there may be so many others.
    private static let othersPerCommon = 4.0
    /// So many must agree for each that contradicts.
    private static let agreeingPerContradiction = 2.0
    /// As many records as hardly all change from one export to the next.
    private static let contradictionsOfAnother = 16.0
    /// Of so many rows a library has to be that its loss is asked for.
    private static let rowsOfLibrary = 64.0
    /// Which part of the rows a library is, at least.
    private static let shareOfLibrary = 0.9
    /// More records than an app brings with it.
    private static let recordsOfNoApp = 256.0
    /// How often it is asked whether it is certain.
    private static let recordsPerQuestion = 64

    /// The ground of a class, by itself.
    ///
    /// - Parameter fields: what keys are made of, by model.
    mutating func ground(of shape: ClassShape, identifiedBy fields: [String: Set<String>]) -> ClassGround {
        if let ground = classes[shape.ordinal] { return ground }
        let ground = ClassGround(shape, identifiedBy: fields[shape.model] ?? [])
        classes[shape.ordinal] = ground
        return ground
    }

    /// Notes that a record came, be there a row of it or not.
    ///
    /// - Parameter rowCount: how many rows the store has, at least those of the source.
    mutating func pass(rowCount: Int) {
        recordCount += 1
        guard recordCount.isMultiple(of: Self.recordsPerQuestion) else { return }
        let supporting = outcome.supporting
        isCertain = supporting > 0 && supporting * Self.othersPerCommon >= Double(rowCount)
    }

    /// Whether what comes does not matter any more: so many are common that the others cannot be too many.
    var isRelatedForCertain: Bool { hasCommonEntry || isCertain }

    /// What the records say that have rows.
    var outcome: ClassLikeness.Outcome {
        var sum = ClassLikeness.Outcome()
        // In one order, so that a plan and a run come to the same number.
        for place in classes.keys.sorted() {
            if let ground = classes[place] { sum += ground.outcome }
        }
        return sum
    }

    /// Whether rows of before, or the entries of a list, would go or become others, and too little says that they are
    /// of the same thing.
    var isUnrelated: Bool {
        if isRelatedForCertain { return false }
        let outcome = outcome
        let contradicting = outcome.contradicting
        if missingCount == 0, !hasOtherList, contradicting < Self.contradictionsOfAnother { return false }
        if losesLibrary, outcome.supporting < Self.recordsOfNoApp { return true }
        // Beside rows that are others it says nothing that there is a row with a number.
        var common = outcome.supporting + (contradicting == 0 ? Double(outcome.bareCount) : 0)
        if outcome.agreeing >= contradicting * Self.agreeingPerContradiction { common += outcome.agreeing }
        // What is gone and what is new may have been put in each other's place.
        let others = contradicting + Double(min(missingCount, newCount))
        return common == 0 || common * Self.othersPerCommon < others
    }

    /// Whether nearly all rows of before would go, and nothing of their classes says that they are of the same thing:
    /// what an app brings with it does not stand for what somebody has put into it.
    private var losesLibrary: Bool {
        let grounds = Dictionary(classes.values.map { ($0.model, $0) }, uniquingKeysWith: { first, _ in first })
        let comparedCount = grounds.values.reduce(0) { $0 + $1.comparedCount }
        let goneCounts = goneCounts
        let goneCount = goneCounts.values.reduce(0, +)
        var lostCount = 0.0
        for (model, missing) in goneCounts {
            let ground = grounds[model]
            let isMostlyGone = Self.isLibrary(missing, of: missing + (ground?.comparedCount ?? 0))
            if isMostlyGone, ground.map({ !isSame($0.outcome) }) ?? true { lostCount += Double(missing) }
        }
        return lostCount >= Self.rowsOfLibrary && Self.isLibrary(Int(lostCount), of: goneCount + comparedCount)
    }

    private static func isLibrary(_ count: Int, of all: Int) -> Bool {
        Double(count) >= shareOfLibrary * Double(all)
    }

    /// Whether records of a class say that it is the same.
    private func isSame(_ outcome: ClassLikeness.Outcome) -> Bool {
        outcome.supporting + outcome.agreeing + Double(outcome.bareCount) > 0
            && outcome.supporting * Self.othersPerCommon >= outcome.contradicting
    }
}
