internal import RepriseLMDB
internal import RepriseLog

/// Folds entities into their rows, one after the other, puts those out, and sorts what follows from them.
struct RowBuilder: ~Copyable {
    private let schema: CompiledSchema
    private let tables: ViewTables
    private let output: EntryOutput
    /// The entries of all indexes.
    private var indexEntries: ExternalSort?
    /// What happened to entries of lists; those that follow from references are added.
    private var entries: ExternalSort?
    /// How many rows each model has, by model number - 1.
    private(set) var counts: [Int]
    private(set) var foldedCount = 0
    /// The sum of the rows' digests.
    private(set) var digest = Digest256.zero

    private var fold = EntityFold()
    private var rowKey = KeyBuffer()
    private var edgeKey = KeyBuffer()
    private var encoder = IndexKeyEncoder()
    private var postingKey = KeyBuffer()
    private var words = RowWords()
    /// That of the present entity's model.
    private var plan: RowPlan?

    init(
        schema: CompiledSchema,
        tables: ViewTables,
        output: EntryOutput,
        indexEntries: consuming ExternalSort,
        entries: consuming ExternalSort
    ) {
        self.schema = schema
        self.tables = tables
        self.output = output
        self.indexEntries = consume indexEntries
        self.entries = consume entries
        counts = Array(repeating: 0, count: schema.modelCount)
    }

    /// Whether this is the entity that is being folded.
    func isPresent(_ model: UInt16, _ id: UnsafeRawBufferPointer) throws -> Bool {
        let key = unsafe rowKey.bytes
        guard key.count == id.count + 2, unsafe Workspace.modelNumber(of: key) == model else {
            return false
        }
        return unsafe UnsafeRawBufferPointer(rebasing: key[2...]).hasSameBytes(as: id)
    }

    /// Begins with the next entity.
    mutating func begin(_ model: UInt16, _ id: UnsafeRawBufferPointer) throws {
        fold.begin()
        unsafe rowKey.setRow(model: model, id: id)
        if plan?.number != model { plan = RowPlan(try schema.model(model)) }
    }

    /// Builds the rows of all entities of a stretch.
    ///
    /// - Parameter isWanted: asked every few thousand events, of which an entity may have millions; throwing ends the
    ///   work.
    mutating func build(_ stretch: EventStretch, isWanted: () throws -> Void) throws {
        var events = stretch.events()
        while let event = try events.next() {
            if foldedCount & 0xFFF == 0xFFF { try isWanted() }
            if try unsafe !isPresent(stretch.model, event.id) {
                try finish()
                try unsafe begin(stretch.model, event.id)
            }
            try fold(GatheredEvent(event), outlives: true)
        }
        try finish()
    }

    /// Folds the present entity's next event.
    mutating func fold(_ event: GatheredEvent, outlives: Bool) throws {
        try fold.apply(event, outlives: outlives)
        foldedCount += 1
    }

    /// Writes the row of the present entity, all events of which have been folded.
    mutating func finish() throws {
        guard fold.revision > 0, let plan else { return }
        let key = unsafe rowKey.bytes
        guard fold.isLive else {
            try unsafe withUnsafeBytes(of: fold.revision.littleEndian) {
                try unsafe output.append(to: tables.tombstones, key: key, value: $0)
            }
            fold.begin()
            return
        }
        let payload = try unsafe RowPayload(trusting: fold.payload, plan.model.defaults)
        try plan.model.check(payload)
        let row = unsafe RowView(
            created: fold.created,
            revision: fold.revision,
            payload: fold.payload
        )
        let room = try unsafe output.append(
            to: tables.rows,
            key: key,
            valueByteCount: RowView.headerByteCount + row.payload.count
        )
        unsafe row.write(key: key, into: room)
        unsafe digest &+= RowView.digest(key: key, payload: row.payload)
        counts[Int(plan.number) - 1] += 1
        let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
        for place in plan.indexes.indices {
            try unsafe addEntry(of: plan.indexes[place], plan, payload, id)
        }
        if let search = plan.search { try unsafe addPostings(search, payload, id) }
        for place in plan.references.indices {
            try unsafe addEntry(of: plan.references[place], payload, id)
        }
        fold.begin()
    }

    /// The entries of all indexes; once, at the end.
    mutating func takeIndexEntries() -> ExternalSort {
        guard let taken = indexEntries.take() else { preconditionFailure("They are taken once.") }
        return taken
    }

    /// What happened to entries of lists; once, at the end.
    mutating func takeEntries() -> ExternalSort {
        guard let taken = entries.take() else { preconditionFailure("They are taken once.") }
        return taken
    }

    private mutating func addEntry(
        of index: RowPlan.Index,
        _ plan: RowPlan,
        _ payload: RowPayload,
        _ id: UnsafeRawBufferPointer
    ) throws {
        encoder.begin(index: index.number, componentCount: index.components.count)
        for component in index.components {
            try unsafe encoder.append(
                slot: payload.slot(plan.slots[component]),
                as: plan.types[component]
            )
        }
        let outcome = unsafe encoder.end(id: id)
        let entry = IndexEntry(
            prefixByteCount: outcome.prefixByteCount,
            wasCut: outcome.wasCut
        )
        let room = try unsafe indexEntries?.add(key: encoder.bytes, valueByteCount: 2)
        unsafe entry.withBytes { bytes in
            unsafe room?.copyMemory(
                from: bytes.baseAddress.unsafelyUnwrapped,
                byteCount: bytes.count
            )
        }
    }

    private mutating func addPostings(
        _ search: SearchDescription,
        _ payload: RowPayload,
        _ id: UnsafeRawBufferPointer
    ) throws {
        words.read(payload, search)
        for posting in words.postings() {
            unsafe words.setKey(&postingKey, of: posting, in: search, id: id)
            let room = try unsafe indexEntries?.add(
                key: postingKey.bytes,
                valueByteCount: PostingValue.byteCount
            )
            unsafe words.value(of: posting).write(
                into: UnsafeMutableRawBufferPointer(start: room, count: PostingValue.byteCount)
            )
        }
    }

    private mutating func addEntry(
        of reference: RowPlan.Reference,
        _ payload: RowPayload,
        _ id: UnsafeRawBufferPointer
    ) throws {
        guard let slot = unsafe payload.slot(reference.slot) else { return }
        let place = try unsafe ReferenceBytes(slot)
        unsafe edgeKey.setEdge(
            relation: reference.relation,
            owner: place.target,
            orderKey: place.orderKey
        )
        let room = try unsafe entries?.add(
            key: edgeKey.bytes,
            valueByteCount: SortedEntry.byteCount(targetByteCount: id.count)
        )
        if let room = unsafe room {
            unsafe SortedEntry.write(.referenced, serial: 0, id, into: room)
        }
    }
}

/// What follows from the rows of one model, in arrays of plain values: reaching into a schema costs a reference count
/// for each list on the way, for each row.
private final class RowPlan {
    struct Index {
        let number: UInt16
        /// Its components' places in `slots` and `types`.
        let components: Range<Int>
    }

    struct Reference {
        let slot: Int
        let relation: UInt16
    }

    let model: CompiledModel
    let number: UInt16
    let indexes: [Index]
    let slots: [Int]
    let types: [ValueType]
    let references: [Reference]
    let search: SearchDescription?

    init(_ model: CompiledModel) {
        var indexes: [Index] = []
        var slots: [Int] = []
        var types: [ValueType] = []
        for index in model.indexes {
            let start = slots.count
            slots += index.description.slots
            types += index.types
            indexes.append(
                Index(number: index.description.number, components: start..<slots.count)
            )
        }
        self.model = model
        number = model.number
        search = model.search
        self.indexes = indexes
        self.slots = slots
        self.types = types
        references = model.references.map {
            Reference(slot: $0.slot, relation: $0.relation.number)
        }
    }
}
