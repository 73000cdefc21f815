/// What shall become of rows and entries of the present state, decided on one look at it.
struct ChangePlan {
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
    }

    /// An entry of a many-to-many list: from where it stands to where it shall stand.
    struct Entry {
        let list: ListPlace
        let delta: EntryDelta
    }

    var rows: [EntityKey: Row] = [:]
    var entries: [Entry] = []

    var isEmpty: Bool { rows.isEmpty && entries.isEmpty }

    /// The entities with rows, by model and identifier.
    var entities: [EntityKey] {
        rows.keys.sorted { left, right in
            left.model == right.model ? left.id.lexicographicallyPrecedes(right.id) : left.model < right.model
        }
    }
}

extension ChangePlan {
    /// How many entities and entries it concerns.
    var counts: ChangeSet.Counts {
        var counts = ChangeSet.Counts()
        var updated: Set<EntityKey> = []
        for (entity, row) in rows {
            switch row {
            case .insert: counts.inserted += 1
            case .update: updated.insert(entity)
            case .delete: counts.deleted += 1
            }
        }
        for entry in entries {
            let owner = entry.list.owner
            if case .insert? = rows[owner] { continue }
            updated.insert(owner)
            switch (entry.delta.from, entry.delta.to) {
            case (nil, _): counts.linked += 1
            case (_, nil): counts.unlinked += 1
            default: counts.moved += 1
            }
        }
        counts.updated = updated.count
        return counts
    }
}
