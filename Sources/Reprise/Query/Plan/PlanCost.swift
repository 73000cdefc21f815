/// What the steps of a plan cost, in nanoseconds, measured on a store of 1,000,000 rows of 250 bytes with a warm cache
/// (two cores, 2.5 GHz). Only their ratios matter, and plans that lie close together may be taken for each other.
enum PlanCost {
    /// To step to the next entry of an index.
    static let entry = 60.0
    /// To build a row from an entry's components.
    static let coveredEntry = 120.0
    /// To step to the next row of the table, with its checksum.
    static let scannedRow = 220.0
    /// To find a row by its identifier.
    static let lookup = 1000.0
    /// To ask one condition.
    static let condition = 20.0
    /// To sort one row among n: this times log2(n).
    static let comparison = 25.0
    /// To find the beginning of a stretch.
    static let seek = 600.0

    /// The share of rows that a search is thought to find: no more than a guess.
    static let searchedShare = 0.005

    static func sort(_ count: Double) -> Double {
        count < 2 ? 0 : count * comparison * count.binaryLogarithm
    }
}

extension Double {
    /// Base 2, to within a tenth: enough to compare costs, without a mathematics library.
    fileprivate var binaryLogarithm: Double {
        guard self > 1, isFinite else { return 0 }
        return Double(exponent) + (significand - 1)
    }
}
