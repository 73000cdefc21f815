/// One line of the table: all samples of all who took part.
struct TableRow {
    /// The number of the row in the goals, and a letter where it is measured in more than one way.
    let name: String
    let work: String
    let unit: MeasuredUnit
    let goals: [Goal]
    var samples: [Participant: [Double]] = [:]
    /// Why there is no figure, or what else must be known to read it.
    var note: String?

    init(_ name: String, _ work: String, _ unit: MeasuredUnit, _ goals: Goal...) {
        self.name = name
        self.work = work
        self.unit = unit
        self.goals = goals
    }

    mutating func add(_ value: Double, of participant: Participant) {
        samples[participant, default: []].append(value)
    }

    func median(_ participant: Participant) -> Double? {
        guard let sorted = samples[participant]?.sorted(), !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    var verdicts: [Verdict] { goals.compactMap { $0.verdict(on: self) } }

    /// Where the row stands in the table: 4a before 4b before 10.
    var order: (Int, String) { (Int(name.prefix { $0.isNumber }) ?? 0, name) }
}
