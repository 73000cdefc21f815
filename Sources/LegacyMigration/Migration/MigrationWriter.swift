import MusicLibrary
import Reprise

/// Turns the records of an export into batches.
///
/// Where a batch ends depends on the export alone, never on what the store has already: a run that
/// takes up an interrupted one does in each batch what the interrupted one would have done, and
/// arrives at the same state, order keys included.
final class MigrationWriter {
    /// One piece of work.
    private enum Item {
        case record(LegacyRecord)
        /// The entries `range` of a playlist, whose record came before.
        case entries(playlist: String, LegacyReferences, Range<Int>)

        var unitCount: Int {
            if case .entries(_, _, let range) = self { range.count } else { 1 }
        }
    }

    let pass: MigrationPass
    let migration: MigrationRecord
    let context: CommitContext
    let batchUnitCount: Int
    private let report: (MigrationProgress.Phase) throws -> Void

    private var items: [Item] = []
    private var unitCount = 0
    private var hasMetPlaylist = false
    private var list = ListInProgress()
    private var deferredParents: [(child: Playlist.ID, parent: Playlist.ID)] = []
    private var written: [String: KeySet] = [:]
    /// Whether the batch that is being made has changed anything.
    private var hasWritten = false

    /// - Parameter report: called after every batch; throwing ends the run.
    init(
        _ pass: MigrationPass,
        _ migration: MigrationRecord,
        options: Migrator.Options,
        report: @escaping (MigrationProgress.Phase) throws -> Void
    ) {
        self.pass = pass
        self.migration = migration
        self.report = report
        batchUnitCount = max(1, options.batchRecordCount)
        context = CommitContext(
            intent: Migrator.intent,
            actor: options.actor,
            correlation: migration.id
        )
    }

    // MARK: Batches

    /// Takes a record; writes a batch when there are enough.
    func consume(_ record: LegacyRecord, _ loader: inout BulkLoader) throws {
        let isPlaylist = record.className == Playlist.schema.name
        if isPlaylist, !hasMetPlaylist {
            hasMetPlaylist = true
            try prepareForLists(&loader)
        }
        try add(.record(record), &loader)
        guard isPlaylist else { return }
        var entries = LegacyReferences()
        if case .references(let references) = record["tracks"] { entries = references }
        var start = 0
        repeat {
            let end = min(entries.count, start + batchUnitCount - unitCount)
            try add(.entries(playlist: record.key, entries, start..<end), &loader)
            start = end
        } while start < entries.count
    }

    /// Writes what is left of the records.
    func finishRecords(_ loader: inout BulkLoader) throws {
        try flush(&loader)
        // From here on the views are asked.
        try loader.publish()
        let parents = deferredParents
        guard !parents.isEmpty else { return }
        try batch(.writing, &loader) { transaction in
            for (child, parent) in parents { try self.setParent(child, parent, &transaction) }
        }
    }

    /// Sees to it that the lists which are compared with those of the export are in the views.
    private func prepareForLists(_ loader: inout BulkLoader) throws {
        try flush(&loader)
        if pass.isRerun { try loader.publish() }
    }

    private func add(_ item: Item, _ loader: inout BulkLoader) throws {
        items.append(item)
        unitCount += item.unitCount
        if unitCount >= batchUnitCount { try flush(&loader) }
    }

    private func flush(_ loader: inout BulkLoader) throws {
        let items = items
        self.items.removeAll(keepingCapacity: true)
        unitCount = 0
        guard !items.isEmpty else { return }
        try batch(.writing, &loader) { transaction in
            for item in items { try self.write(item, &transaction) }
        }
    }

    /// Makes one durable commit of what `body` changes, with the record of it in the log.
    func batch(
        _ phase: MigrationProgress.Phase,
        _ loader: inout BulkLoader,
        _ body: (inout WriteTransaction) throws -> Void
    ) throws {
        hasWritten = false
        let written = try loader.batch(context) { transaction -> ClosedRange<UInt64>? in
            let first = transaction.position.rawValue + 1
            pass.batchStart = first
            try body(&transaction)
            guard hasWritten else { return nil }
            let payload = MigrationLog.progress(migration, first: first, owned: pass.owned)
            let last = try transaction.annotate(
                name: MigrationLog.progress,
                key: migration.source,
                payload: payload
            )
            return first...last.rawValue
        }
        if let written { pass.owned.insert(written) }
        pass.batchStart = .max
        try report(phase)
    }

    /// Says that the batch changes something.
    func didWrite() {
        hasWritten = true
    }

    // MARK: Records

    private func write(_ item: Item, _ transaction: inout WriteTransaction) throws {
        switch item {
        case .record(let record): try write(record, &transaction)
        case .entries(let key, let entries, let range):
            try writeEntries(key, entries, range, &transaction)
        }
    }

    private func write(_ record: LegacyRecord, _ transaction: inout WriteTransaction) throws {
        switch record.className {
        case Track.schema.name:
            var track = try pass.row(Track.self, record, in: transaction)
            track.album = track.album.map {
                Album.ID(pass.storedIdentifier(Album.schema.name, $0.rawValue))
            }
            try write(&track, &transaction) { track, _ in
                pass.warn(
                    .missingTarget,
                    "The album of track \(track.id) does not exist; it has none."
                )
                track.album = nil
            }
            pass.place(track)
        case Album.schema.name:
            var album = try pass.row(Album.self, record, in: transaction)
            try write(&album, &transaction) { _, _ in }
        case Playlist.schema.name:
            var playlist = try pass.row(Playlist.self, record, in: transaction)
            let parent = playlist.parent.map {
                Playlist.ID(pass.storedIdentifier(Playlist.schema.name, $0.rawValue))
            }
            playlist.parent = parent
            let isChangedHere =
                pass.mayHold(Playlist.schema.name)
                ? try pass.isChangedHere(playlist.id, in: transaction) : false
            let outcome = try write(&playlist, &transaction) { playlist, transaction in
                // The parent comes later.
                if let parent { deferredParents.append((playlist.id, parent)) }
                let stored = try transaction.fetch(Playlist.self, id: playlist.id)
                playlist.parent = stored?.parent
            }
            list = ListInProgress(outcome: outcome, isChangedHere: isChangedHere)
            if let parent { pass.place(playlist.id, in: parent) }
        default:
            pass.warn(
                .unknownClass,
                "A music library has no \(LibraryReport.quoted(record.className)); it was left out."
            )
        }
    }

    /// What became of a record.
    enum Outcome {
        case inserted, updated, unchanged
    }

    /// Inserts a row or updates it.
    ///
    /// - Parameter repair: called when a row that it refers to does not exist; changes the row so
    ///   that it can be written.
    @discardableResult
    private func write<M: MigratedModel>(
        _ wanted: inout M,
        _ transaction: inout WriteTransaction,
        repair: (inout M, borrowing WriteTransaction) throws -> Void
    ) throws -> Outcome {
        do {
            return try write(&wanted, &transaction)
        } catch let error as StoreError where error.code == .targetMissing {
            try repair(&wanted, transaction)
            return try write(&wanted, &transaction)
        }
    }

    private func write<M: MigratedModel>(
        _ wanted: inout M,
        _ transaction: inout WriteTransaction
    ) throws -> Outcome {
        let model = M.schema.name
        switch try pass.standing(of: &wanted, in: transaction) {
        case .absent:
            try transaction.insert(wanted)
            pass.count(model) { $0.inserted += 1 }
            hasWritten = true
            noteWritten(model, wanted.id.rawValue)
            return .inserted
        case .same:
            pass.count(model) { $0.unchanged += 1 }
            return .unchanged
        case .different(let isChangedHere):
            let row = wanted
            try transaction.update(M.self, id: row.id) { $0 = row }
            if isChangedHere { warnOverwritten(model, row.id.rawValue) }
            pass.count(model) { $0.updated += 1 }
            hasWritten = true
            noteWritten(model, row.id.rawValue)
            return .updated
        }
    }

    /// Remembers a row with an ordered list, so that it is counted once when the list changes too.
    private func noteWritten(_ model: String, _ id: String) {
        if model == Track.schema.name || !pass.isRerun { return }
        written[model, default: KeySet()].insert(id)
    }

    /// Counts a row whose list was put in order.
    func didReorder(_ model: String, _ id: String) {
        guard pass.isRerun, written[model, default: KeySet()].insert(id) else { return }
        pass.count(model) {
            $0.unchanged -= 1
            $0.updated += 1
        }
    }

    func warnOverwritten(_ model: String, _ id: String) {
        pass.warn(
            .localChangeOverwritten,
            "The \(model) \(LibraryReport.quoted(id)) was changed here since the last migration;"
                + " it now is as in the export."
        )
    }

    private func setParent(
        _ child: Playlist.ID,
        _ parent: Playlist.ID,
        _ transaction: inout WriteTransaction
    ) throws {
        guard try transaction.fetch(Playlist.self, id: parent) != nil else {
            pass.warn(
                .missingTarget,
                "The folder of playlist \(child) does not exist; it is in none."
            )
            return
        }
        guard try transaction.fetch(Playlist.self, id: child)?.parent != parent else { return }
        try transaction.update(Playlist.self, id: child) { $0.parent = parent }
        hasWritten = true
    }

    // MARK: Entries

    /// The list that is being written.
    private struct ListInProgress {
        var outcome = Outcome.unchanged
        var isChangedHere = false
        /// How many of the wanted entries are in place.
        var presentCount = 0
        var isCounted = false
    }

    private func writeEntries(
        _ key: String,
        _ entries: LegacyReferences,
        _ range: Range<Int>,
        _ transaction: inout WriteTransaction
    ) throws {
        let playlist = Playlist.ID(pass.storedIdentifier(Playlist.schema.name, key))
        let model = Track.schema.name
        if range.lowerBound == 0, list.outcome != .inserted {
            let present = try transaction.entries(Playlist.tracks, of: playlist)
            let isBeginning =
                present.count <= entries.count
                && zip(present, entries).allSatisfy { present, wanted in
                    present.target == Track.ID(pass.storedIdentifier(model, wanted))
                }
            list.presentCount = present.count
            if !isBeginning {
                let wanted = entries.map { pass.storedIdentifier(model, $0) }
                try reorder(Playlist.tracks, of: playlist, present, wanted, &transaction) {
                    self.listChanged(playlist)
                }
                list.presentCount = entries.count
            }
        }
        guard list.presentCount < range.upperBound else { return }
        listChanged(playlist)
        for place in max(range.lowerBound, list.presentCount)..<range.upperBound {
            let track = Track.ID(pass.storedIdentifier(model, entries[place]))
            try link(Playlist.tracks, from: playlist, to: track, at: .last, &transaction)
        }
    }

    private func listChanged(_ playlist: Playlist.ID) {
        hasWritten = true
        guard !list.isCounted else { return }
        list.isCounted = true
        guard list.outcome == .unchanged else { return }
        noteWritten(Playlist.schema.name, playlist.rawValue)
        if list.isChangedHere { warnOverwritten(Playlist.schema.name, playlist.rawValue) }
        pass.count(Playlist.schema.name) {
            $0.unchanged -= 1
            $0.updated += 1
        }
    }
}
