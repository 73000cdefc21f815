import Reprise

/// Disturbed lists that are long.
extension MigrationWriter {
    /// Gives a long list its order and its places: what others put there comes first, in its order, and then the wanted
    /// members in that of the export. So it makes no difference which of them came late.
    func settle(_ long: LongList, _ loader: inout BulkLoader) throws {
        var wanted = LegacyReferences()
        try batch(.ordering, &loader) { transaction in
            for target in long.wanted where try has(long.list, long.owner, target, in: transaction)
            {
                try wanted.append(RecordKey(target))
            }
        }
        var isDone = false
        var last = -1
        while !isDone {
            try batch(.ordering, &loader) { transaction in
                let isThere = try exists(long.owner.model, long.owner.id, in: transaction)
                let place = try endInOrder(wanted, long, in: transaction)
                // Another process may have deleted it, or taken something out, meanwhile.
                isDone = !isThere || place == wanted.count || place <= last
                if isDone { return }
                last = place
                let end = min(wanted.count, place + longBounds.window)
                for place in place..<end { try append(wanted[place], to: long, &transaction) }
                didWrite()
                try didUpdate(long.owner)
            }
        }
        let owners = RememberedRows(in: pass.memory)
        try owners.append(long.owner)
        try respace(owners, &loader) { owner, limit, transaction in
            try transaction.respace(long.list.name, of: owner, atMost: limit)
        }
    }

    private func append(
        _ target: String,
        to long: LongList,
        _ transaction: inout WriteTransaction
    ) throws {
        let entries = try transaction.entries(
            of: long.list.name,
            model: long.owner.model,
            id: long.owner.id,
            to: target,
            limit: 1
        )
        for entry in entries {
            try transaction.move(long.list.name, entry: entry, of: long.owner, to: .last)
        }
    }

    /// How many of the first wanted members the end of a list has in their order, each of which is in it once.
    private func endInOrder(
        _ wanted: LegacyReferences,
        _ long: LongList,
        in transaction: borrowing WriteTransaction
    ) throws -> Int {
        var count = 0
        try transaction.forEachEntry(
            of: long.list.name,
            model: long.owner.model,
            id: long.owner.id
        ) { entry in
            let isNext = count < wanted.count && wanted[count].hasBytes(of: entry.target)
            if isNext {
                count += 1
            } else {
                count = wanted.first.map { $0.hasBytes(of: entry.target) } == true ? 1 : 0
            }
            return true
        }
        return count
    }
}

extension String {
    fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
