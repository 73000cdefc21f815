import ExportFormats
import LegacyRecords

/// The to-ones that are set between deletions: each counts once, however often it is lost to another row and set again.
struct SettledReferences {
    private(set) var count = 0
    private var known: RememberedKeys?

    /// Counts from now on.
    mutating func begin(in memory: RecordMemory) {
        known = RememberedKeys(in: memory)
    }

    mutating func insert(_ reference: LateReference) throws(LegacyError) {
        if let known, try known.insert(reference.toOne) { count += 1 }
    }
}

extension MigrationWriter {
    /// What is left to do, and what was done to set it free.
    struct Rest: Equatable {
        let recordCount: Int
        let listCount: Int
        let settledCount: Int
        let deletedCount: Int
    }

    /// Differs from what it was before only where something has come to an end: lists that are tried again may write
    /// each time.
    var rest: Rest {
        Rest(
            recordCount: postponed.count,
            listCount: postponedLists.count,
            settledCount: settled.count,
            deletedCount: pass.deletedCount
        )
    }
}
