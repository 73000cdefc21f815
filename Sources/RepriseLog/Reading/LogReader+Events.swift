extension LogReader {
    /// Hands out the events whose positions lie in `range`, as far as the log reaches.
    ///
    /// - Parameters:
    ///   - range: positions; 0 stands for no event.
    ///   - reversed: `true` for strictly descending positions, `false` for ascending ones.
    ///   - body: returns `false` to stop. It gets the event's block too, for its time and its
    ///     commit.
    /// - Throws: what `body` throws, and as `forEachBlock`.
    package func forEachEvent(
        in range: ClosedRange<UInt64>,
        reversed: Bool = false,
        _ body: (EventView, BlockView) throws -> Bool
    ) throws {
        if reversed {
            try forEachEventReversed(in: range, body)
        } else {
            try forEachEventAscending(in: range, body)
        }
    }

    private func forEachEventAscending(
        in range: ClosedRange<UInt64>,
        _ body: (EventView, BlockView) throws -> Bool
    ) throws {
        guard range.upperBound > 0 else { return }
        try forEachBlock(from: range.lowerBound) { block in
            var cursor = block.events()
            if range.lowerBound > block.firstPosition {
                try cursor.skip(Int(range.lowerBound - block.firstPosition))
            }
            while let event = try cursor.next() {
                guard event.position <= range.upperBound, try body(event, block) else {
                    return false
                }
            }
            return block.lastPosition < range.upperBound
        }
    }

    private func forEachEventReversed(
        in range: ClosedRange<UInt64>,
        _ body: (EventView, BlockView) throws -> Bool
    ) throws {
        // Events can only be read forwards, so those of one block are gathered and then handed out
        // backwards.
        var events: [EventView] = []
        try forEachBlockReversed(from: range.upperBound) { block in
            guard block.lastPosition >= range.lowerBound else { return false }
            events.removeAll(keepingCapacity: true)
            var cursor = block.events()
            if range.lowerBound > block.firstPosition {
                try cursor.skip(Int(range.lowerBound - block.firstPosition))
            }
            while let event = try cursor.next(), event.position <= range.upperBound {
                events.append(event)
            }
            for event in events.reversed() {
                guard try body(event, block) else { return false }
            }
            return block.firstPosition > max(range.lowerBound, 1)
        }
    }
}
