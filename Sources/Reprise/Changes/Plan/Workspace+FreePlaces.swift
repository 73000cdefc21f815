extension Workspace {
    /// The next places of a list that are free for entries which come together: all in one gap, the first behind a
    /// place that has room for them.
    ///
    /// - Parameters:
    ///   - place: behind which they come.
    ///   - bound: the next place of the list that is still to be settled; nil for none.
    /// - Returns: nil where no gap before `bound` has room for them.
    func freePlaces(
        _ count: Int,
        of list: ListKey,
        behind place: UInt64,
        before bound: UInt64?
    ) throws -> [UInt64]? {
        var low = place
        while true {
            let high = try [nextPlace(of: list, behind: low), bound].compactMap(\.self).min()
            let end = high ?? OrderKey.above(low, count + 1)
            if let keys = OrderKey.spread(count, between: low, end, gapAtLeast: 1) { return keys }
            guard let high else { throw StoreError.noPlaceLeft }
            if high == bound { return nil }
            low = high
        }
    }

    /// The place of the first entry of a list behind another place; nil where there is none.
    func nextPlace(of list: ListKey, behind place: UInt64) throws -> UInt64? {
        var next: UInt64?
        try forEachEntry(of: list, behind: place) { entry in
            next = entry.orderKey
            return false
        }
        return next
    }
}
