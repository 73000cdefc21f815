import Foundation

/// Everything that was measured, for programs.
struct JSONReport: Encodable {
    let machine: MachineFacts
    let loadBefore: [Double]
    let loadAfter: [Double]
    let trackCount: Int
    let runs: Int
    let rows: [Row]

    struct Row: Encodable {
        let name: String
        let work: String
        let unit: String
        let samples: [String: [Double]]
        let medians: [String: Double]
        let goals: [Goal]
        let note: String?
    }

    struct Goal: Encodable {
        let goal: String
        let achieved: String
        let isMet: Bool
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}

extension JSONReport.Row {
    init(_ row: TableRow) {
        name = row.name
        work = row.work
        unit = row.unit.rawValue
        samples = Dictionary(uniqueKeysWithValues: row.samples.map { ($0.key.rawValue, $0.value) })
        medians = Dictionary(
            uniqueKeysWithValues: row.samples.keys.compactMap { participant in
                row.median(participant).map { (participant.rawValue, $0) }
            }
        )
        goals = row.verdicts.map {
            JSONReport.Goal(goal: $0.goal, achieved: $0.achieved, isMet: $0.isMet)
        }
        note = row.note
    }
}
