internal import RepriseLMDB
internal import RepriseLog

/// Writes the views of the last commit anew, in key order and in the set of tables that does not serve, and converts
/// rows on the way (STO-91).
///
/// Rows that grow in their place split the pages that they lie in, and one transaction holds all of those. Written
/// in order beside the old ones, they fill their pages, in as many transactions as that takes.
struct ConvertedViews {
    /// Takes the events. Its workspace reads the last commit.
    let session: WriteSession
    let target: ViewTables
    let output: EntryOutput
    /// Whether rows are converted that a rollback has brought back: those that a function refuses stay as they are.
    let isAgain: Bool
    /// Called now and then with the number of rows that were converted since; throwing ends the work.
    let progress: (Int) throws -> Void
    /// That of the state, as far as the rows are written.
    private(set) var digest: Digest256
    /// How many rows were refused.
    private(set) var refusedCount = 0
    /// Sums up those of converted rows as they were, which stay where they are in the file.
    private let leaving = RowDigests()

    init(
        session: WriteSession,
        target: ViewTables,
        output: EntryOutput,
        isAgain: Bool = false,
        progress: @escaping (Int) throws -> Void
    ) {
        self.session = session
        self.target = target
        self.output = output
        self.isAgain = isAgain
        self.progress = progress
        digest = session.workspace.digest
    }

    private var source: ViewTables { session.workspace.tables }
    private var base: TableReader { session.workspace.base }

    /// - Parameter indexNumbers: the indexes whose entries are taken over.
    /// - Throws: `invalidValue` with the first ten rows of a model that a function refuses; `valueTooLarge`.
    /// - Complexity: O(bytes of the views).
    mutating func write(_ planned: [PlannedConversion], keeping indexNumbers: Set<UInt16>) throws {
        defer { leaving.discard() }
        try writeRows(Dictionary(grouping: planned, by: \.model))
        digest &-= leaving.sum()
        for number in indexNumbers.sorted() {
            let prefix = unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
            try copy(source.index, to: target.index, prefix: prefix)
        }
        let tables = [
            (source.edges, target.edges), (source.backlinks, target.backlinks),
            (source.tombstones, target.tombstones), (source.labels, target.labels),
        ]
        for (from, to) in tables { try copy(from, to: to) }
        try output.handOverAll()
    }

    /// After how many entries progress is told.
    private static let batchCount = 4096

    private static func modelNumber(of key: UnsafeRawBufferPointer) throws(StoreError) -> UInt16 {
        guard key.count > 2 else { throw unsafe .damagedRow(key: key) }
        return unsafe Workspace.modelNumber(of: key)
    }

    private func copy(_ from: Table, to: Table, prefix: [UInt8] = []) throws {
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try base.cursor(from)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            var count = 0
            while isThere, unsafe cursor.key.starts(with: prefix) {
                count += 1
                if count % Self.batchCount == 0 { try progress(0) }
                try unsafe output.append(to: to, key: cursor.key, value: cursor.value)
                isThere = try cursor.next()
            }
        }
    }

    // MARK: Rows

    /// The rows of one model after the other lie side by side.
    private mutating func writeRows(_ planned: [UInt16: [PlannedConversion]]) throws {
        var cursor = try base.cursor(source.rows)
        var isThere = try cursor.first()
        while isThere {
            let number = unsafe try Self.modelNumber(of: cursor.key)
            let model = try session.schema.model(number)
            if let conversions = planned[number] {
                try convertRows(of: model, conversions, &cursor, &isThere)
            } else {
                try copyRows(of: number, &cursor, &isThere)
            }
        }
    }

    private mutating func copyRows(of model: UInt16, _ cursor: inout Cursor, _ isThere: inout Bool) throws {
        var count = 0
        while isThere, try unsafe Self.modelNumber(of: cursor.key) == model {
            count += 1
            if count % Self.batchCount == 0 { try progress(0) }
            _ = try unsafe RowView(key: cursor.key, value: cursor.value)
            try unsafe output.append(to: target.rows, key: cursor.key, value: cursor.value)
            isThere = try cursor.next()
        }
    }

    private mutating func convertRows(
        of model: CompiledModel,
        _ conversions: [PlannedConversion],
        _ cursor: inout Cursor,
        _ isThere: inout Bool
    ) throws {
        var refused = RefusedRows()
        var converter = RowConverter(conversions, of: model)
        var count = 0
        while isThere, try unsafe Self.modelNumber(of: cursor.key) == model.number {
            let key = unsafe cursor.key
            let row = try unsafe RowView(key: key, value: cursor.value)
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            try converter.convert(payload, oldRevision: isAgain ? row.revision : nil) { attribute, error in
                unsafe refused.add(key, attribute, error)
            }
            do {
                if isAgain || refused.count == 0 { try unsafe put(row, key, model, converter.values) }
            } catch let error as StoreError where isAgain && error.code == .valueTooLarge {
                unsafe refused.add(key, converter.firstAttribute, error)
                try unsafe put(row, key, model, SlotValues())
            }
            count += 1
            if count % Self.batchCount == 0 { try progress(Self.batchCount) }
            isThere = try cursor.next()
        }
        try progress(count % Self.batchCount)
        refusedCount += refused.count
        if !isAgain, let error = refused.error(model) { throw error }
    }

    private mutating func put(
        _ row: RowView,
        _ key: UnsafeRawBufferPointer,
        _ model: CompiledModel,
        _ values: SlotValues
    ) throws {
        var next = row
        if !values.isEmpty,
            let (payload, changes) = try unsafe session.rewrite(row, key, of: model, to: values)
        {
            let position = try unsafe session.builder.append(
                type: .updated,
                version: Change.currentVersion,
                model: model.number,
                id: UnsafeRawBufferPointer(rebasing: key[2...]),
                previous: row.revision,
                cause: 0
            ) { SlotChanges(changes).write(to: &$0) }
            unsafe next = RowView(created: row.created, revision: position, payload: payload.bytes)
            unsafe leaving.add(key: key, payload: row.payload)
            unsafe digest &+= RowView.digest(key: key, payload: next.payload)
        }
        let byteCount = unsafe RowView.headerByteCount + next.payload.count
        let room = try unsafe output.append(to: target.rows, key: key, valueByteCount: byteCount)
        unsafe next.write(key: key, into: room)
    }
}
