internal import RepriseLog

/// Folds events of the log into a workspace, labels included.
struct LogFolder {
    let workspace: Workspace
    let log: LogReader

    /// Folds a range of events in order. `afterBlock` is called after each block.
    func fold(_ range: ClosedRange<UInt64>, afterBlock: () throws -> Void) throws {
        var lastBlock: UInt64 = 0
        try log.forEachEvent(in: range) { event, block in
            if block.firstPosition != lastBlock {
                if lastBlock != 0 { try afterBlock() }
                lastBlock = block.firstPosition
            }
            try workspace.apply(event)
            try workspace.labels.fold(event, time: block.timeMicroseconds)
            return true
        }
        try afterBlock()
    }
}
