internal import RepriseLMDB

/// What shall become of rows and entries of the present state, decided on one look at it.
final class ChangePlan {
    enum Row {
        case insert([UInt8])
        case update(from: [UInt8], to: [UInt8])
        case delete

        /// The row afterwards; nil where there is none.
        var payload: [UInt8]? {
            switch self {
            case .insert(let payload), .update(_, let payload): payload
            case .delete: nil
            }
        }

        var isDeletion: Bool {
            if case .delete = self { true } else { false }
        }
    }

    /// An entry of a many-to-many list: from where it stands to where it shall stand.
    struct Entry {
        let list: ListPlace
        var delta: EntryDelta
    }

    /// How much rows, and entries, may take in memory before they go to a file, in bytes.
    static let memoryByteCount = 16 << 20

    let rows: PlanRows
    let entries: PlanEntries

    init(
        _ schema: CompiledSchema,
        memoryByteCount: Int = memoryByteCount,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        rows = PlanRows(memoryByteCount: memoryByteCount, makeFile: makeFile)
        entries = PlanEntries(schema, memoryByteCount: memoryByteCount, makeFile: makeFile)
    }
}

extension ChangePlan {
    /// How many entities and entries it concerns. O(plan).
    func counts() throws -> ChangeSet.Counts {
        var counts = ChangeSet.Counts()
        try rows.forEach { _, row in
            switch row {
            case .insert: counts.inserted += 1
            case .update: counts.updated += 1
            case .delete: counts.deleted += 1
            }
        }
        // Those of one owner come one after the other.
        var last: EntityKey?
        var isNew = false
        try entries.forEach { entry in
            let owner = entry.list.owner
            if owner != last {
                last = owner
                let row = try rows.row(of: owner)
                if case .insert? = row { isNew = true } else { isNew = false }
                switch row {
                case .insert, .update: break
                case .delete, nil: counts.updated += 1
                }
            }
            if isNew { return }
            switch (entry.delta.from, entry.delta.to) {
            case (nil, _): counts.linked += 1
            case (_, nil): counts.unlinked += 1
            default: counts.moved += 1
            }
        }
        return counts
    }
}
