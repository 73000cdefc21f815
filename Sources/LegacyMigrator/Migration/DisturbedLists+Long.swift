import ExportFormats
import LegacyRecords
import Reprise

/// Disturbed lists that are long.
extension MigrationWriter {
    /// Whether it may get some of its members late, as ``mayBeDisturbed(_:_:of:)``.
    func mayBeDisturbed(_ long: LongList) throws(LegacyError) -> Bool {
        if disturbed.isEmpty && waitingRows.isEmpty { return false }
        if try mayBeLate(long.owner.model, long.owner.id) { return true }
        for place in 0..<long.wanted.count
        where try mayBeLate(long.list.target, long.wanted.key(at: place).text) { return true }
        return false
    }

    /// Gives a long list its order and its places: what others put there comes first, in its order, and then the wanted
    /// members in that of the export. So it makes no difference which of them came late.
    func settle(_ long: LongList, of store: Store, _ loader: inout BulkLoader) throws {
        let isUpdate = try comesIntoOtherOrder(long, of: store, &loader)
        let wanted = long.wanted
        var isDone = false
        var last = -1
        while !isDone {
            try batch(.ordering, &loader) { transaction in
                let isThere = try exists(long.owner.model, long.owner.id, in: transaction)
                let place = try endInOrder(long, in: transaction)
                // Another process may have deleted it, or taken something out, meanwhile.
                isDone = !isThere || place == wanted.count || place <= last
                if isDone { return }
                last = place
                let end = min(wanted.count, place + longBounds.window)
                for place in place..<end {
                    try append(wanted.key(at: place).text, to: long, &transaction)
                }
                didWrite()
                if isUpdate { try didUpdate(long.owner) }
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
        _ long: LongList,
        in transaction: borrowing WriteTransaction
    ) throws -> Int {
        let wanted = long.wanted
        var count = 0
        try transaction.forEachEntry(
            of: long.list.name,
            model: long.owner.model,
            id: long.owner.id
        ) { entry in
            let target = RecordKey(entry.target)
            if count < wanted.count, try wanted.key(at: count) == target {
                count += 1
            } else {
                count = try wanted.count > 0 && wanted.key(at: 0) == target ? 1 : 0
            }
            return true
        }
        return count
    }
}
