extension RecordMemory {
    /// Goes through places again and again, without those that are done, until a round gets none of them done.
    ///
    /// What is left is remembered at eight bytes a place.
    ///
    /// - Parameter isDone: whether a place is done; each may be done because another one is.
    func settle(_ count: Int, _ isDone: (Int) throws -> Bool) throws {
        var left: RememberedIdentifiers?
        var leftCount = count
        while leftCount > 0 {
            let waiting = RememberedIdentifiers(in: self)
            for step in 0..<leftCount {
                // In a chain each waits for the one before it, or for the one after: every other round goes backwards.
                let place = try left?.number(at: leftCount - 1 - step) ?? step
                if try !isDone(place) { try waiting.append(.number(UInt64(place))) }
            }
            if waiting.count == leftCount { return }
            left = waiting
            leftCount = waiting.count
        }
    }
}
