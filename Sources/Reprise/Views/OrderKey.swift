/// Where an entry stands in its list: entries are ordered by this number, unique within the list.
///
/// New entries at the ends leave a wide gap, an entry between two others takes the middle. When a gap is used up the
/// neighbours are spread again (``OrderKey/spread(_:between:_:gapAtLeast:)``); the amortised cost of that is small
/// because each respacing leaves room for many insertions (order maintenance, Dietz & Sleator 1987; Bender et al.
/// 2002).
enum OrderKey {
    /// The key of the first entry of a list.
    static let first: UInt64 = 1 << 63
    /// The gap left between entries at the ends: room for 2^31 appends, and 32 halvings between two of them.
    static let step: UInt64 = 1 << 32

    /// The key after `last`; nil when the range is used up.
    static func after(_ last: UInt64?) -> UInt64? {
        guard let last else { return first }
        let (key, overflow) = last.addingReportingOverflow(step)
        return overflow ? nil : key
    }

    /// The key before `first`; nil when the range is used up.
    static func before(_ first: UInt64) -> UInt64? {
        first > step ? first - step : nil
    }

    /// The key in the middle of two others; nil when they are neighbours.
    static func between(_ low: UInt64, _ high: UInt64) -> UInt64? {
        high - low >= 2 ? low + (high - low) / 2 : nil
    }

    /// How far before `first` a list may spread for `count` entries.
    static func below(_ first: UInt64, _ count: Int) -> UInt64 {
        let (room, overflow) = step.multipliedReportingOverflow(by: UInt64(count))
        return overflow || room > first ? 0 : first - room
    }

    /// How far behind `last` a list may spread for `count` entries.
    static func above(_ last: UInt64, _ count: Int) -> UInt64 {
        let (room, overflow) = step.multipliedReportingOverflow(by: UInt64(count))
        return overflow || room > .max - last ? .max : last + room
    }

    /// `count` keys evenly spread strictly between two others; nil when the gap between them would be too small.
    static func spread(
        _ count: Int,
        between low: UInt64,
        _ high: UInt64,
        gapAtLeast least: UInt64 = 1 << 16
    ) -> [UInt64]? {
        let gap = (high - low) / (UInt64(count) + 1)
        guard gap >= least else { return nil }
        return (1...UInt64(count)).map { low + gap * $0 }
    }
}
