internal import RepriseLMDB
internal import RepriseLog

/// Builds a set of views from the log by sorting, without looking anything up: memory is bounded, and every table is
/// written once, in order (Specs/format/views.md).
///
/// The log is gone through once and its events sorted by entity. The events of an entity are folded into its row; what
/// follows from the row, index entries and entries of lists, is sorted in its turn, and so are the ways back that
/// follow from those.
final class ViewsBuilder {
    struct Outcome {
        let digest: Digest256
        let counts: [Int]
        /// How many live events there were.
        let foldedCount: Int
    }

    private let schema: CompiledSchema
    private let tables: ViewTables
    private let writer: ViewsWriter
    private let memoryByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile

    private var digest = Digest256.zero
    private var key = KeyBuffer()

    /// - Parameters:
    ///   - tables: where the views are built; they are empty.
    ///   - memoryByteCount: about how much memory the sorts may take.
    init(
        schema: CompiledSchema,
        tables: ViewTables,
        writer: ViewsWriter,
        memoryByteCount: Int,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.schema = schema
        self.tables = tables
        self.writer = writer
        self.memoryByteCount = memoryByteCount
        self.makeFile = makeFile
    }

    /// Builds all views from what was gathered.
    ///
    /// - Parameter report: called now and then with the number of live events that are folded; throwing ends the work.
    func build(
        _ gathered: consuming EventGathering,
        report: (_ done: Int) throws -> Void
    ) throws -> Outcome {
        let liveCount = gathered.liveCount
        let labels = gathered.labels
        let copies = gathered.entities
        let models = gathered.inPlaceEntities.sorted()
        var rows = RowBuilder(
            schema: schema,
            tables: tables,
            writer: writer,
            // Places take less than copies, which leaves more for what follows from them.
            indexEntries: ExternalSort(
                memoryByteCount: models.isEmpty ? memoryByteCount / 4 : memoryByteCount / 2,
                makeFile: makeFile
            ),
            entries: gathered.entries
        )
        try buildRows(in: models, &rows, report)
        try buildRows(from: copies.sorted(), &rows, report)
        let counts = rows.counts
        digest = rows.digest
        try buildIndex(rows.takeIndexEntries().sorted())
        try buildLists(rows.takeEntries().sorted())
        try buildLabels(labels.sorted())
        return Outcome(digest: digest, counts: counts, foldedCount: liveCount)
    }

    // MARK: Rows

    private func buildRows(
        in models: [ModelEvents],
        _ rows: inout RowBuilder,
        _ report: (_ done: Int) throws -> Void
    ) throws {
        for model in models {
            var events = model.sorted()
            while let event = try events.next() {
                if try unsafe !rows.isPresent(model.number, event.id) {
                    try rows.finish()
                    try unsafe rows.begin(model.number, event.id)
                }
                try rows.fold(GatheredEvent(event), outlives: true)
                if rows.foldedCount & 0x3FFF == 0 { try report(rows.foldedCount) }
            }
        }
        try rows.finish()
    }

    private func buildRows(
        from records: consuming SortedRecords,
        _ rows: inout RowBuilder,
        _ report: (_ done: Int) throws -> Void
    ) throws {
        while try records.next() {
            let model = unsafe Workspace.modelNumber(of: records.key)
            let id = unsafe UnsafeRawBufferPointer(rebasing: records.key[2...])
            if try unsafe !rows.isPresent(model, id) {
                try rows.finish()
                try unsafe rows.begin(model, id)
            }
            try rows.fold(unsafe GatheredEvent(records.value), outlives: false)
            if rows.foldedCount & 0x3FFF == 0 { try report(rows.foldedCount) }
        }
        try rows.finish()
    }

    // MARK: What follows from rows

    private func buildIndex(_ records: consuming SortedRecords) throws {
        while try records.next() {
            try unsafe writer.append(to: tables.index, key: records.key, value: records.value)
        }
    }

    private func buildLists(_ records: consuming SortedRecords) throws {
        var ways = ExternalSort(memoryByteCount: memoryByteCount / 4, makeFile: makeFile)
        var present = PresentEntry()
        while try records.next() {
            if unsafe !records.key.hasSameBytes(as: present.key.bytes) {
                try finish(present, &ways)
            }
            unsafe present.replace(key: records.key, SortedEntry(records.value))
        }
        try finish(present, &ways)
        var sorted = try ways.sorted()
        while try sorted.next() {
            try unsafe writer.append(to: tables.backlinks, key: sorted.key, value: sorted.value)
        }
    }

    /// Writes what a place in a list holds after all that happened to it.
    private func finish(_ entry: borrowing PresentEntry, _ ways: inout ExternalSort) throws {
        guard entry.kind != .removed else { return }
        let key = unsafe entry.key.bytes
        let target = unsafe entry.target.bytes
        let room = try unsafe writer.append(
            to: tables.edges,
            key: key,
            valueByteCount: EdgeValue.headerByteCount + target.count
        )
        unsafe EdgeValue.write(serial: entry.serial, target: target, key: key, into: room)
        guard entry.kind == .linked else { return }
        var parser = unsafe KeyParser(key, skipping: 2)
        let relation = unsafe Workspace.modelNumber(of: key)
        let owner = try parser.identifier()
        let orderKey = try parser.number()
        let list = ListKey(relation: relation, id: owner)
        let linked = ListEntry(
            orderKey: orderKey,
            serial: entry.serial,
            target: unsafe [UInt8](target)
        )
        digest &+= Workspace.digest(of: linked, in: list)
        self.key.setBacklink(
            ListKey(relation: relation, id: linked.target),
            Backlink(owner: owner, orderKey: orderKey)
        )
        _ = try unsafe ways.add(key: self.key.bytes, valueByteCount: 0)
    }

    private func buildLabels(_ records: consuming SortedRecords) throws {
        var key: [UInt8] = []
        var value: [UInt8]?
        while try records.next() {
            if unsafe !records.key.elementsEqual(key) {
                try finish(label: key, value)
                key = unsafe [UInt8](records.key)
            }
            value = unsafe SortedLabel.read(records.value)
        }
        try finish(label: key, value)
    }

    private func finish(label key: [UInt8], _ value: [UInt8]?) throws {
        guard let value else { return }
        try unsafe key.withUnsafeBytes { key in
            try unsafe value.withUnsafeBytes {
                try unsafe writer.append(to: tables.labels, key: key, value: $0)
            }
        }
    }
}

/// What stands at one place of a list after what was seen of it so far.
private struct PresentEntry: ~Copyable {
    var key = KeyBuffer()
    var target = KeyBuffer()
    var kind = SortedEntry.Kind.removed
    var serial: UInt64 = 0

    mutating func replace(key: UnsafeRawBufferPointer, _ entry: SortedEntry) {
        self.key.removeAll()
        unsafe self.key.append(key)
        target.removeAll()
        unsafe target.append(entry.target)
        kind = entry.kind
        serial = entry.serial
    }
}
