internal import RepriseLMDB
internal import RepriseLog

/// Builds the entries of new indexes from the rows that are there, and takes away those of indexes that are gone.
///
/// The rows of a model are walked once; the entries are sorted in bounded memory and written in order. Their numbers
/// are higher than those of all other indexes, so that they are appended.
struct IndexBuild {
    let schema: CompiledSchema
    let tables: ViewTables
    /// Reads and writes in the transaction that changes the schema; only reads where entries are only to be looked at.
    let base: TableReader
    var memoryByteCount = ViewRebuild.memoryByteCount
    /// Called now and then with the number of rows that were looked at since.
    var progress: (Int) throws -> Void = { _ in }
    var makeFile: () throws(LMDBError) -> SpillFile

    /// How many entities that have the same values are named.
    static let shownCount = 10
    /// After how many rows progress is told.
    private static let batchCount = 4096

    /// - Parameter new: the numbers of the indexes that have no entries yet.
    /// - Throws: `uniqueViolation` with the first ten entities whose values another one has.
    /// - Complexity: O(rows of the models · log).
    func build(_ new: Set<UInt16>) throws {
        for model in schema.allModels {
            let indexes = model.indexes.filter { new.contains($0.number) }
            let search = model.search.flatMap { new.contains($0.number) ? $0 : nil }
            if indexes.isEmpty, search == nil { continue }
            var sort = ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
            try gather(model, indexes, search, into: &sort)
            try write(sort.sorted(), model, indexes)
        }
    }

    /// All entries that indexes of the schema have of the rows, in order. Nothing is written but files for sorting.
    ///
    /// - Complexity: O(rows · log).
    func entries() throws -> Entries {
        var sort = ExternalSort(memoryByteCount: memoryByteCount, makeFile: makeFile)
        for model in schema.allModels where !model.indexes.isEmpty || model.search != nil {
            try gather(model, model.indexes, model.search, into: &sort)
        }
        return Entries(records: try sort.sorted())
    }

    /// Entries of indexes in order.
    struct Entries: ~Copyable {
        fileprivate var records: SortedRecords

        var key: UnsafeRawBufferPointer { unsafe records.key }
        var value: UnsafeRawBufferPointer { unsafe IndexBuild.entry(in: records.value) }

        mutating func next() throws(LMDBError) -> Bool { try records.next() }
    }

    /// The entry in a record of the sort, without the byte behind it.
    private static func entry(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: value[..<(value.count - 1)])
    }

    /// Takes away all entries of an index. O(entries).
    func drop(_ number: UInt16) throws {
        let prefix = unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try base.cursor(tables.index)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                try cursor.deleteCurrent()
                isThere = try unsafe cursor.seek(atOrAfter: prefix)
            }
        }
    }

    /// Throws where a row has no value in one of these slots of a model.
    ///
    /// - Throws: `invalidValue` with the first ten entities.
    /// - Complexity: O(rows of the model).
    func requireValues(_ slots: [Int], of model: CompiledModel) throws {
        var lacking: [String] = []
        var count = 0
        try unsafe forEachRow(of: model) { key, row in
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            guard slots.contains(where: { unsafe payload.slot($0) == nil }) else { return }
            count += 1
            guard lacking.count < Self.shownCount else { return }
            lacking.append(unsafe String(decoding: key.dropFirst(2), as: UTF8.self))
        }
        if count == 0 { return }
        let names = slots.compactMap { model.attribute(slot: $0)?.name }.joined(separator: ", ")
        throw StoreError(
            .invalidValue,
            "\(model.name).\(names) cannot become required: \(Self.list(lacking, count)) no value.",
            advice: "Give them one first, or leave it optional. Nothing was changed."
        )
    }

    // MARK: Gathering

    /// Goes through the rows of a model in the order of their keys.
    func forEachRow(
        of model: CompiledModel,
        _ body: (_ key: UnsafeRawBufferPointer, _ row: RowView) throws -> Void
    ) throws {
        let prefix = unsafe withUnsafeBytes(of: model.number.bigEndian) { unsafe Array($0) }
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try base.cursor(tables.rows)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            var count = 0
            while isThere, unsafe cursor.key.starts(with: prefix) {
                count += 1
                if count % Self.batchCount == 0 { try progress(Self.batchCount) }
                let key = unsafe cursor.key
                try unsafe body(key, RowView(key: key, value: cursor.value))
                isThere = try cursor.next()
            }
            try progress(count % Self.batchCount)
        }
    }

    /// Adds the entries of all rows of a model to the sort. One byte behind the value of each says whether its values
    /// must be unique: they need not where one of them is nil.
    private func gather(
        _ model: CompiledModel,
        _ indexes: [CompiledIndex],
        _ search: SearchDescription?,
        into sort: inout ExternalSort
    ) throws {
        var encoder = IndexKeyEncoder()
        var words = RowWords()
        var key = KeyBuffer()
        try unsafe forEachRow(of: model) { rowKey, row in
            let id = unsafe UnsafeRawBufferPointer(rebasing: rowKey[2...])
            let payload = try unsafe RowPayload(trusting: row.payload, model.defaults)
            for index in indexes {
                let outcome = try unsafe encoder.encode(payload, index, id: id)
                let entry = IndexEntry(
                    prefixByteCount: outcome.prefixByteCount,
                    wasCut: outcome.wasCut
                )
                let room = try unsafe sort.add(key: encoder.bytes, valueByteCount: 3)
                unsafe entry.withBytes { bytes in
                    unsafe room.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: 2)
                }
                let counts = try index.description.isUnique && UniqueClaim(index, payload) != nil
                unsafe room.storeBytes(of: counts ? 1 : 0, toByteOffset: 2, as: UInt8.self)
            }
            guard let search else { return }
            words.read(payload, search)
            for posting in words.postings() {
                unsafe words.setKey(&key, of: posting, in: search, id: id)
                let count = PostingValue.byteCount
                let room = try unsafe sort.add(key: key.bytes, valueByteCount: count + 1)
                unsafe words.value(of: posting).write(
                    into: UnsafeMutableRawBufferPointer(start: room, count: count)
                )
                unsafe room.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
            }
        }
    }

    // MARK: Writing

    private func write(
        _ records: consuming SortedRecords,
        _ model: CompiledModel,
        _ indexes: [CompiledIndex]
    ) throws {
        var collisions = Collisions()
        var cursor = try base.cursor(tables.index)
        var appends = try AppendWatch(&cursor)
        while try records.next() {
            let (key, value) = unsafe (records.key, records.value)
            let entry = unsafe Self.entry(in: value)
            let room = try unsafe cursor.reserve(
                key: key,
                byteCount: entry.count,
                append: appends.isPastEnd(key)
            )
            unsafe room.copyMemory(from: entry)
            guard unsafe value[value.count - 1] == 1 else { continue }
            let number = unsafe Workspace.modelNumber(of: key)
            guard let index = indexes.first(where: { $0.number == number }) else { continue }
            try unsafe note(key, IndexEntry(key: key, value: entry), index, model, in: &collisions)
        }
        if collisions.count == 0 { return }
        throw collision(model, collisions)
    }
}
