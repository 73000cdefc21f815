/// What a row of the table has to reach.
enum Goal {
    /// At least this many times as good as a participant: as fast, or as small.
    case atLeast(Double, timesAsGoodAs: Participant)
    /// At most this many times what a participant needs.
    case atMost(Double, timesWhatIsNeededBy: Participant)
    case atLeastValue(Double)
    case atMostValue(Double)
}

/// How a goal was met.
struct Verdict {
    let goal: String
    let achieved: String
    let isMet: Bool
}

extension Goal {
    /// Nil while a number is missing.
    func verdict(on row: TableRow) -> Verdict? {
        guard let own = row.median(.reprise) else { return nil }
        switch self {
        case .atLeast(let factor, let other):
            guard let peer = row.median(other) else { return nil }
            let ratio = row.unit.isLowBetter ? peer / own : own / peer
            return Verdict(
                goal: "≥ \(trimmed(factor))x \(other.rawValue)",
                achieved: "\(significant(ratio))x",
                isMet: ratio >= factor
            )
        case .atMost(let factor, let other):
            guard let peer = row.median(other) else { return nil }
            let ratio = row.unit.isLowBetter ? own / peer : peer / own
            return Verdict(
                goal: "≤ \(trimmed(factor))x \(other.rawValue)",
                achieved: "\(significant(ratio))x",
                isMet: ratio <= factor
            )
        case .atLeastValue(let value):
            return Verdict(
                goal: "≥ \(row.unit.text(value))",
                achieved: row.unit.text(own),
                isMet: own >= value
            )
        case .atMostValue(let value):
            return Verdict(
                goal: "≤ \(row.unit.text(value))",
                achieved: row.unit.text(own),
                isMet: own <= value
            )
        }
    }
}
