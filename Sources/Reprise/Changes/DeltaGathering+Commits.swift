internal import RepriseLog

extension DeltaGathering {
    /// Takes the events of a commit, backwards: what has to happen so that it is as if it had not been. Of several
    /// commits the newest comes first.
    ///
    /// - Parameters:
    ///   - untouched: rows that stay as they are.
    ///   - isPassing: whether older commits that are taken back may have changed these rows, too.
    mutating func takeBack(
        _ commit: CommitView,
        but untouched: UntouchedRows? = nil,
        isPassing: Bool = false,
        _ log: LogReader
    ) throws {
        try log.forEachEvent(in: commit.firstPosition...commit.lastPosition, reversed: true) { event, _ in
            let isPassed = try untouched?.contains(event) ?? false
            if !isPassed || isPassing { try add(event, isUndone: true, isPassed: isPassed) }
            return true
        }
    }
}
