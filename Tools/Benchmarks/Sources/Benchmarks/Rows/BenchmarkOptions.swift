/// How much is measured.
struct BenchmarkOptions {
    /// The rows of the table to measure.
    let rows: Set<Int>
    /// How often each row runs; the table has medians.
    let runs: Int
    /// What stands for 1,000,000.
    let trackCount: Int
    /// What stands for 50,000.
    let smallCount: Int
    let batchCount = 5000
    /// Where the script lies that makes a Realm file.
    let toolsDirectory: String

    static let allRows = Set(1...19)

    init(rows: Set<Int>, runs: Int, scale: Double, toolsDirectory: String) {
        self.rows = rows
        self.runs = runs
        self.toolsDirectory = toolsDirectory
        trackCount = max(2000, Int(1_000_000 * scale))
        smallCount = max(1000, Int(50_000 * scale))
    }

    func includes(_ anyOf: Int...) -> Bool {
        anyOf.contains { rows.contains($0) }
    }
}
