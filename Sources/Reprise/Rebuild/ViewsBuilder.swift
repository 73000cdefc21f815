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
    private var counts: [Int]
    private var foldedCount = 0
    private var key = KeyBuffer()
    private var words = RowWords()
    /// What was looked at ahead of its time; kept so that looking is not left out.
    private var touched: UInt8 = 0

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
        counts = Array(repeating: 0, count: schema.modelCount)
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
        let entities = gathered.entities
        var entries = gathered.entries
        var indexEntries = ExternalSort(memoryByteCount: memoryByteCount / 4, makeFile: makeFile)
        try buildRows(from: entities.sorted(), &indexEntries, &entries, report)
        try buildIndex(indexEntries.sorted())
        try buildLists(entries.sorted())
        try buildLabels(labels.sorted())
        // The writer has summed up the rows.
        digest &+= try writer.rowDigest()
        return Outcome(digest: digest, counts: counts, foldedCount: liveCount)
    }

    // MARK: Rows

    private func buildRows(
        from records: consuming SortedRecords,
        _ indexEntries: inout ExternalSort,
        _ entries: inout ExternalSort,
        _ report: (_ done: Int) throws -> Void
    ) throws {
        var fold = EntityFold()
        var encoder = IndexKeyEncoder()
        var rowKey = KeyBuffer()
        while true {
            unsafe records.lookAhead { unsafe touched |= GatheredEvent.firstByte($0) }
            guard try records.next() else { break }
            if unsafe !records.key.hasSameBytes(as: rowKey.bytes) {
                try finish(fold, rowKey, &encoder, &indexEntries, &entries)
                fold.begin()
                rowKey.removeAll()
                unsafe rowKey.append(records.key)
            }
            let event = unsafe GatheredEvent(records.value)
            try fold.apply(event, outlives: event.isInPlace)
            foldedCount += 1
            if foldedCount & 0x3FFF == 0 { try report(foldedCount) }
        }
        try finish(fold, rowKey, &encoder, &indexEntries, &entries)
    }

    /// Writes the row of an entity whose events have all been folded, and sorts what follows from it.
    private func finish(
        _ fold: borrowing EntityFold,
        _ rowKey: borrowing KeyBuffer,
        _ encoder: inout IndexKeyEncoder,
        _ indexEntries: inout ExternalSort,
        _ entries: inout ExternalSort
    ) throws {
        guard fold.revision > 0 else { return }
        let key = unsafe rowKey.bytes
        guard fold.isLive else {
            return try unsafe withUnsafeBytes(of: fold.revision.littleEndian) {
                try unsafe writer.append(to: tables.tombstones, key: key, value: $0)
            }
        }
        let model = try unsafe schema.model(Workspace.modelNumber(of: key))
        let row = unsafe RowView(
            created: fold.created,
            revision: fold.revision,
            payload: fold.payload
        )
        let room = try unsafe writer.append(
            to: tables.rows,
            key: key,
            valueByteCount: RowView.headerByteCount + row.payload.count
        )
        unsafe row.write(key: key, into: room)
        counts[Int(model.number) - 1] += 1
        let payload = try unsafe RowPayload(trusting: row.payload)
        let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
        for place in model.indexes.indices {
            let index = model.indexes[place]
            let outcome = try unsafe encoder.encode(
                payload,
                index: index.description,
                types: index.types,
                id: id
            )
            let entry = IndexEntry(
                prefixByteCount: outcome.prefixByteCount,
                wasCut: outcome.wasCut
            )
            let room = try unsafe indexEntries.add(key: encoder.bytes, valueByteCount: 2)
            unsafe entry.withBytes { bytes in
                unsafe room.copyMemory(
                    from: bytes.baseAddress.unsafelyUnwrapped,
                    byteCount: bytes.count
                )
            }
        }
        if let search = model.search { try unsafe add(search, payload, id, &indexEntries) }
        for reference in model.references {
            guard let slot = unsafe payload.slot(reference.slot) else { continue }
            let place = try unsafe ReferenceBytes(slot)
            unsafe self.key.setEdge(
                relation: reference.relation.number,
                owner: place.target,
                orderKey: place.orderKey
            )
            let room = try unsafe entries.add(
                key: self.key.bytes,
                valueByteCount: SortedEntry.byteCount(targetByteCount: id.count)
            )
            unsafe SortedEntry.write(.referenced, serial: 0, id, into: room)
        }
    }

    /// Sorts the postings of a row.
    private func add(
        _ search: SearchDescription,
        _ payload: RowPayload,
        _ id: UnsafeRawBufferPointer,
        _ indexEntries: inout ExternalSort
    ) throws {
        words.read(payload, search)
        for posting in words.postings() {
            unsafe words.setKey(&key, of: posting, in: search, id: id)
            let room = try unsafe indexEntries.add(
                key: key.bytes,
                valueByteCount: PostingValue.byteCount
            )
            unsafe words.value(of: posting).write(
                into: UnsafeMutableRawBufferPointer(start: room, count: PostingValue.byteCount)
            )
        }
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
