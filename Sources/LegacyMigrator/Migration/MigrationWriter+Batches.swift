import LegacyRecords
import Reprise

/// What is written together.
extension MigrationWriter {
    /// Takes a record; writes a batch when there are enough.
    func consume(_ record: ShapedRecord, _ loader: inout BulkLoader) throws {
        let lists = record.lists.map {
            ListInProgress(record.shape, $0.list, key: record.key, members: $0.members)
        }
        if !lists.isEmpty { try prepareForLists(&loader) }
        try add(.record(record, lists), &loader)
        for list in lists { try add(list, &loader) }
    }

    /// Takes a list by itself.
    func consume(_ list: LegacyList, _ loader: inout BulkLoader) throws {
        guard let shape = pass.shape.classes[list.className], let toMany = shape.lists[list.name]
        else { return }
        try prepareForLists(&loader)
        try add(
            ListInProgress(shape, toMany, key: list.key, members: list.members),
            &loader
        )
    }

    func add(_ list: ListInProgress, _ loader: inout BulkLoader) throws {
        var start = 0
        repeat {
            let end = min(list.members.count, start + max(1, batchUnitCount - unitCount))
            try add(.entries(list, start..<end), &loader)
            start = end
        } while start < list.members.count
    }

    /// Writes what is left of the records and lists, and then what could not be written before all of them were there.
    func finishRecords(_ loader: inout BulkLoader) throws {
        try flush(&loader)
        // From here on the views are asked.
        try loader.publish()
        settling = Settling(start: try store.read { $0.head }, note: waitingRows.last)
        try writePostponed(isLast: false, &loader)
        try writeLateReferences(isLast: false, &loader)
    }

    /// Sees to it that the lists which are compared with those of the export are in the views.
    private func prepareForLists(_ loader: inout BulkLoader) throws {
        guard !hasMetList else { return }
        hasMetList = true
        try flush(&loader)
        if pass.isRerun { try loader.publish() }
    }

    private func add(_ item: Item, _ loader: inout BulkLoader) throws {
        items.append(item)
        unitCount += item.unitCount
        if unitCount >= batchUnitCount { try flush(&loader) }
    }

    func flush(_ loader: inout BulkLoader) throws {
        let items = items
        self.items.removeAll(keepingCapacity: true)
        unitCount = 0
        var next = 0
        while next < items.count {
            var long: LongList?
            try batch(.writing, &loader) { transaction in
                while next < items.count {
                    long = try self.write(items[next], &transaction)
                    if long != nil { return }
                    next += 1
                }
            }
            guard let long, case .entries(let list, _) = items[next] else { continue }
            // It gets commits of its own; then the batch goes on with it.
            currentList = list
            try arrange(long, &loader) { try didChange(list, long.owner) }
            currentList = nil
            list.presentCount = list.members.count
        }
    }

    /// Makes one durable commit of what `body` changes, with the record of it in the log.
    func batch(
        _ phase: MigrationProgress.Phase,
        _ loader: inout BulkLoader,
        _ body: (inout WriteTransaction) throws -> Void
    ) throws {
        hasWritten = false
        times.removeAll()
        var others: ClosedRange<UInt64>?
        let written = try loader.batch(context) { transaction -> ClosedRange<UInt64>? in
            let first = transaction.position.rawValue + 1
            if let head, head + 1 < first { others = (head + 1)...(first - 1) }
            head = first - 1
            pass.batchStart = first
            if firstBatchStart == nil { firstBatchStart = first }
            try body(&transaction)
            if isRehearsal {
                if hasWritten || pass.agreements.hasUnnoted { throw MigrationRun.Change() }
                waitingRows.forgetUnnoted()
                return nil
            }
            guard hasWritten || waitingRows.isFull || pass.agreements.hasUnnoted
            else { return nil }
            try waitingRows.note(migration, &transaction)
            try pass.agreements.write(migration, &transaction)
            for payload in times.payloads(migration.id) {
                try transaction.annotate(
                    name: RecordedTimes.name,
                    key: migration.source,
                    payload: payload
                )
            }
            let payload = MigrationLog.progress(
                migration,
                first: first,
                owned: pass.owned,
                arranging: arranging,
                respacing: respacing,
                settling: waitingRows.isEmpty ? nil : settling
            )
            let last = try transaction.annotate(
                name: MigrationLog.progress,
                key: migration.source,
                payload: payload
            )
            return first...last.rawValue
        }
        if let written {
            pass.owned.insert(written)
            head = written.upperBound
        }
        pass.batchStart = .max
        if let others {
            try loader.publish()
            try expectNoReturn(among: others)
        }
        try report(phase)
    }

    /// Makes sure that nobody has gone back to an earlier state among what others have written: what this run has done
    /// already may be gone, and it would not do that again.
    private func expectNoReturn(among others: ClosedRange<UInt64>) throws {
        var hasReturned = false
        try store.read { state in
            try state.forEachCommit(
                from: Position(rawValue: others.lowerBound),
                to: Position(rawValue: others.upperBound),
                where: { $0.type == "rolledBack" }
            ) { _ in
                hasReturned = true
                return false
            }
        }
        if hasReturned { throw MigrationError.goneBack(migration) }
    }

    /// Writes many small things, as many to a batch as fit.
    func batches<Work: RandomAccessCollection<Element>, Element>(
        _ phase: MigrationProgress.Phase,
        _ work: Work,
        _ loader: inout BulkLoader,
        _ write: (Element, inout WriteTransaction) throws -> Void
    ) throws where Work.Index == Int {
        var next = work.startIndex
        while next < work.endIndex {
            let end = min(work.endIndex, next + batchUnitCount)
            try batch(phase, &loader) { transaction in
                for item in work[next..<end] { try write(item, &transaction) }
            }
            next = end
        }
    }

    /// Says that the batch changes something.
    func didWrite() {
        hasWritten = true
    }
}
