internal import RepriseLMDB

/// Some records of an ``ExternalSort`` in order: where they are, in memory or in a file. Read by a ``RunReader``.
struct RecordRun {
    enum Place {
        /// In memory, and what keeps their bytes there.
        case memory([KeySort.Item], Arena)
        /// In a part of a file.
        case file(SpillFile, Range<Int>)
    }

    let place: Place

    var isInFile: Bool {
        if case .file = place { true } else { false }
    }
}
