/// Lines up cells in columns for people.
///
/// Widths come from the rows seen first; later rows are fitted into them, so that a table of any length
/// streams. Cells are made harmless for terminals (``DisplayWidth/visible(_:)``).
struct TextTable: Sendable {
    /// A column's heading and the side on which its cells are lined up.
    struct Column: Sendable {
        var heading: String
        var isNumeric = false
    }

    /// The columns between two cells.
    static let gap = 2
    /// The columns below which no cell is squeezed.
    static let cellWidthMin = 6

    let columns: [Column]
    /// The columns on the screen given to each column of the table.
    let widths: [Int]
    private let traits: TerminalTraits

    /// Measures a table.
    ///
    /// - Parameters:
    ///   - sample: the rows that decide the widths, each with one cell a column.
    ///   - traits: of the stream that will show it; without a width nothing is cut off in the sample.
    init(_ columns: [Column], sample: [[String]], in traits: TerminalTraits) {
        self.columns = columns
        self.traits = traits
        var widths = columns.map { DisplayWidth.of(DisplayWidth.visible($0.heading)) }
        for row in sample {
            for (index, cell) in row.prefix(widths.count).enumerated() {
                widths[index] = max(widths[index], DisplayWidth.of(DisplayWidth.visible(cell)))
            }
        }
        if let limit = traits.width {
            widths = Self.fitted(widths, into: limit - Self.gap * max(0, widths.count - 1))
        }
        self.widths = widths
    }

    /// Whether the columns have room on the screen.
    var fits: Bool {
        guard let limit = traits.width else { return true }
        return widths.reduce(Self.gap * max(0, widths.count - 1), +) <= limit
    }

    /// The headings, in bold where that is understood.
    var header: String {
        TextStyle.bold.applied(to: line(columns.map(\.heading)), in: traits)
    }

    /// One row, without a line break and without trailing spaces.
    func line(_ cells: [String]) -> String {
        var line = ""
        for (index, column) in columns.enumerated() {
            let cell = index < cells.count ? DisplayWidth.visible(cells[index]) : ""
            let isLast = index == columns.count - 1
            // A pipe has no edge: the last column may run on.
            let isFree = isLast && traits.width == nil
            let text = isFree ? cell : DisplayWidth.truncated(cell, to: widths[index])
            let padding = String(
                repeating: " ",
                count: max(0, widths[index] - DisplayWidth.of(text))
            )
            if column.isNumeric {
                line += padding + text
            } else {
                line += isLast ? text : text + padding
            }
            if !isLast { line += String(repeating: " ", count: Self.gap) }
        }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Takes from the widest columns until the sum is at most `total` or all are at the minimum.
    private static func fitted(_ widths: [Int], into total: Int) -> [Int] {
        guard widths.reduce(0, +) > total else { return widths }
        // The largest cap under which everything fits; widths are few, so trying is fast enough.
        var cap = widths.max() ?? 0
        while cap > cellWidthMin, widths.reduce(0, { $0 + min($1, cap) }) > total {
            cap -= 1
        }
        var result = widths.map { min($0, cap) }
        var spare = total - result.reduce(0, +)
        for index in result.indices where spare > 0 && result[index] < widths[index] {
            result[index] += 1
            spare -= 1
        }
        return result
    }
}
