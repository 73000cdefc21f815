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
    private let threads: BuildingThreads
    private let makeFile: () throws(LMDBError) -> SpillFile

    private var digest = Digest256.zero
    private var key = KeyBuffer()

    /// - Parameters:
    ///   - tables: where the views are built; they are empty.
    ///   - memoryByteCount: about how much memory the sorts may take.
    ///   - threads: how the building of rows is shared out.
    init(
        schema: CompiledSchema,
        tables: ViewTables,
        writer: ViewsWriter,
        memoryByteCount: Int,
        threads: BuildingThreads,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.schema = schema
        self.tables = tables
        self.writer = writer
        self.memoryByteCount = memoryByteCount
        self.threads = threads
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
        var stretches = gathered.inPlaceEntities.sorted().flatMap {
            $0.sorted(stretchCount: threads.stretchCount, mayShare: threads.count > 1)
        }
        let wantedCount = max(1, min(threads.count, stretches.count))
        let helpers = (1..<wantedCount).compactMap { _ in
            StretchBuilder(idle: writer.idleBatches)
        }
        // What they read must stay until they have ended.
        defer { for helper in helpers { helper.giveUp() } }
        // Fewer where the system has no more.
        let threadCount = helpers.count + 1
        let indexByteCount = memoryByteCount / 4
        for (number, helper) in helpers.enumerated() {
            let places = stretches.indices.filter { $0 % threadCount == number + 1 }
            helper.begin(places.map { stretches[$0] }) { output in
                RowBuilder(
                    schema: schema,
                    tables: tables,
                    output: output,
                    indexEntries: sort(indexByteCount / threadCount),
                    entries: sort(memoryByteCount / 8 / threadCount)
                )
            }
        }
        var rows = RowBuilder(
            schema: schema,
            tables: tables,
            output: writer.output,
            indexEntries: sort(indexByteCount / threadCount),
            entries: gathered.entries
        )
        try build(stretches, &rows, helpers, report)
        stretches = []
        try buildRows(from: copies.sorted(), &rows, report)
        digest = rows.digest
        var counts = rows.counts
        var indexRuns = try rows.takeIndexEntries().runs()
        var entryRuns = try rows.takeEntries().runs()
        for helper in helpers {
            var built = helper.finish()
            digest &+= built.digest
            for place in counts.indices { counts[place] += built.counts[place] }
            indexRuns += try built.takeIndexEntries().runs()
            entryRuns += try built.takeEntries().runs()
        }
        try buildIndex(SortedRecords(indexRuns, memoryByteCount: indexByteCount))
        try buildLists(SortedRecords(entryRuns, memoryByteCount: memoryByteCount / 4))
        try buildLabels(labels.sorted())
        return Outcome(digest: digest, counts: counts, foldedCount: liveCount)
    }

    // MARK: Rows

    /// Builds the rows of all stretches, each thread its share, and writes them in order.
    private func build(
        _ stretches: [EventStretch],
        _ rows: inout RowBuilder,
        _ helpers: [StretchBuilder],
        _ report: (_ done: Int) throws -> Void
    ) throws {
        var done = 0
        for (number, stretch) in stretches.enumerated() {
            let turn = number % (helpers.count + 1)
            if turn == 0 {
                try rows.build(stretch) { try report(done) }
                // Before those of the next stretch, which come from elsewhere.
                try writer.output.handOverAll()
            } else {
                try helpers[turn - 1].passOnStretch(to: writer)
            }
            done += stretch.count
            try report(done)
        }
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

    private func sort(_ memoryByteCount: Int) -> ExternalSort {
        ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
    }

    // MARK: What follows from rows

    private func buildIndex(_ records: consuming SortedRecords) throws {
        let (output, table) = (writer.output, tables.index)
        while try records.next() {
            try unsafe output.append(to: table, key: records.key, value: records.value)
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
            try unsafe writer.output.append(
                to: tables.backlinks,
                key: sorted.key,
                value: sorted.value
            )
        }
    }

    /// Writes what a place in a list holds after all that happened to it.
    private func finish(_ entry: borrowing PresentEntry, _ ways: inout ExternalSort) throws {
        guard entry.kind != .removed else { return }
        let key = unsafe entry.key.bytes
        let target = unsafe entry.target.bytes
        let room = try unsafe writer.output.append(
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
                try unsafe writer.output.append(to: tables.labels, key: key, value: $0)
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
