/// The rows as a table for people.
struct TextTable {
    let rows: [TableRow]

    var text: String {
        var lines = [["#", "work", "Reprise", "GRDB", "floor", "goal", "achieved", ""]]
        for row in rows { lines += cells(of: row) }
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for (number, line) in lines.enumerated() {
            let padded = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            text += "| " + padded.joined(separator: " | ") + " |\n"
            guard number == 0 else { continue }
            text += "|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined() + "\n"
        }
        return text
    }

    private func cells(of row: TableRow) -> [[String]] {
        let figures = Participant.allCases.map { row.median($0).map(row.unit.text) ?? "" }
        let verdicts = row.verdicts
        let first = [row.name, row.work] + figures
        guard let verdict = verdicts.first else {
            return [first + [row.note ?? "", "", ""]]
        }
        let more = verdicts.dropFirst().map { ["", "", "", "", ""] + cells(of: $0) }
        let note = row.note.map { [["", "  " + $0, "", "", "", "", "", ""]] } ?? []
        return [first + cells(of: verdict)] + more + note
    }

    private func cells(of verdict: Verdict) -> [String] {
        [verdict.goal, verdict.achieved, verdict.isMet ? "✓" : "✗"]
    }
}
