internal import RepriseLMDB
internal import RepriseLog

/// What an export says that there is: rows and lists, gathered in any order, and brought into that of their keys.
///
/// It knows nothing of what a store has. ``Store/takeIn(_:since:deviations:observer:isPlan:context:)`` compares it with
/// that, and merges the difference. What does not fit into memory lies in temporary files. Confined to one thread at a
/// time.
package final class Intake {
    private static let memoryByteCount = 32 << 20

    /// The schema in whose terms it is said.
    let schema: CompiledSchema
    /// Whether what the export does not say is no reason to take anything away.
    let isPartial: Bool
    /// The lists that the export says of each model's rows, by relation: of a row without any they are empty.
    private(set) var saidLists: [UInt16: [RelationEnd]] = [:]
    /// The to-ones of members that follow from lists of owners, by model.
    private var listedSlots: [UInt16: [Int: UInt16]] = [:]
    /// The relations of which any list was given.
    private var givenRelations: Set<UInt16> = []
    /// Whether there are rows with a side of a one-to-one.
    private(set) var hasPairs = false
    private let makeFile: () throws(LMDBError) -> SpillFile
    private var rows: ExternalSort
    private var members: ExternalSort
    private var key = KeyBuffer()
    private let cell = KeyCell()
    private var writer = RowPayloadWriter()
    private var value = ByteWriter()
    private var memberCount: UInt64 = 0
    private var assignedSlots: [UInt16: Set<Int>] = [:]
    private var sorted: (rows: SpillFile, members: SpillFile)?
    /// The model of the last row.
    private var recent: CompiledModel?

    /// Begins one in the terms of a store's schema.
    ///
    /// - Parameter isPartial: whether what the export does not say is no reason to take anything away.
    package init(for store: Store, isPartial: Bool) throws {
        let environment = store.environment
        makeFile = { () throws(LMDBError) in try environment.makeSpillFile() }
        rows = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
        members = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile)
        self.isPartial = isPartial
        do {
            let transaction = try environment.beginRead()
            schema = try store.compiledSchema(
                transaction.reader,
                StoreState.read(transaction.reader, store.tables)
            )
            try transaction.checkUndisturbed()
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Says that the export gives a list of all rows of a model that it has.
    package func declareList(_ name: String, of model: String) throws {
        let model = try schema.model(named: model)
        let end = try end(name, model)
        saidLists[model.number, default: []].append(end)
        if let slot = ListPlace(end: end, owner: EntityKey(model: model.number, id: [])).memberSlot {
            listedSlots[end.other.model, default: [:]][slot] = end.relation.number
        }
    }

    /// Takes a row.
    ///
    /// - Parameters:
    ///   - values: one for each attribute of the model's description.
    ///   - unsaid: the places of those that count for a row that is not there yet, and say nothing of one that is.
    ///   - attachment: what the observer is given back where the row is new or different.
    /// - Returns: why the store can never hold the row; it stays as it is then.
    package func add(
        _ row: EntityReference,
        inOrder values: [Value?],
        unsaid: [Int],
        attachment: [UInt8] = []
    ) throws -> StoreError? {
        if recent?.name != row.model { recent = try schema.model(named: row.model) }
        guard let model = recent else { return nil }
        if !model.pairSlots.isEmpty { hasPairs = true }
        var refusal: StoreError?
        do throws(StoreError) {
            if row.id.isEmpty { throw .emptyIdentifier(model.name) }
            _ = try unsafe cell.row(model, row.id)
            try writer.writeRow(values, of: model, row.id)
        } catch {
            refusal = error
            if error.code == .invalidIdentifier { return refusal }
        }
        value.removeAll()
        value.u8(refusal == nil ? 0 : 1)
        var bitmap = [UInt8](repeating: 0, count: (model.slots.count + 7) / 8)
        for (slot, compiled) in model.slots.enumerated() {
            guard let compiled, values[compiled.place] == nil || unsaid.contains(compiled.place) else { continue }
            bitmap[slot / 8] |= 1 << (slot % 8)
        }
        value.counted(bitmap)
        value.counted(attachment)
        if refusal == nil { unsafe value.bytes(writer.bytes) }
        key.setRow(EntityKey(model: model.number, id: row.id))
        try unsafe rows.add(key: key.bytes, value: value.bytes)
        if refusal == nil {
            try addPlaces(of: row.id, model, bitmap)
            for end in isPartial ? [] : saidLists[model.number] ?? [] {
                // Of what comes of the list later this is the beginning.
                key.setEdge(ListKey(relation: end.relation.number, id: Array(row.id.utf8)), orderKey: 0)
                try addMember("", kind: .list)
            }
        }
        return refusal
    }

    /// Notes the lists that a row comes into by its to-ones.
    private func addPlaces(of id: String, _ model: CompiledModel, _ unsaid: [UInt8]) throws {
        let listed = listedSlots[model.number] ?? [:]
        for reference in model.references
        where unsaid[reference.slot / 8] & 1 << (reference.slot % 8) == 0 && listed[reference.slot] == nil {
            let payload = try unsafe RowPayload(trusting: writer.bytes)
            guard let slot = unsafe payload.slot(reference.slot) else { continue }
            let target = try unsafe ReferenceBytes(slot).target
            memberCount += 1
            unsafe key.setEdge(relation: reference.relation.number, owner: target, orderKey: memberCount)
            try addMember(id, kind: .byItsToOne)
        }
    }

    /// The to-ones of rows of a model that follow from lists which the export gives.
    func assignedSlots(of model: UInt16) -> Set<Int> { assignedSlots[model] ?? [] }

    /// Takes a list as a whole, an empty one too.
    ///
    /// - Parameter body: gets a function that takes the identifiers of the members in order.
    package func addList(
        _ name: String,
        of owner: EntityReference,
        _ body: ((String) throws -> Void) throws -> Void
    ) throws {
        let model = try schema.model(named: owner.model)
        let end = try end(name, model)
        givenRelations.insert(end.relation.number)
        let list = ListKey(relation: end.relation.number, id: Array(owner.id.utf8))
        guard unsafe owner.id.utf8.withContiguousStorageIfAvailable({
            unsafe KeyCell.canBeIdentifier(UnsafeRawBufferPointer($0))
        }) ?? (owner.id.utf8.count <= identifierByteCountMax) else { return }
        key.setEdge(list, orderKey: 0)
        try addMember("", kind: .list)
        try body { member in
            memberCount += 1
            key.setEdge(list, orderKey: memberCount)
            try addMember(member, kind: .byList)
        }
    }

    private func addMember(_ id: String, kind: StatedMember.Kind) throws {
        value.removeAll()
        value.u8(kind.rawValue)
        var id = id
        id.withUTF8 { unsafe value.bytes(UnsafeRawBufferPointer($0)) }
        try unsafe members.add(key: key.bytes, value: value.bytes)
    }

    private func end(_ name: String, _ model: CompiledModel) throws(StoreError) -> RelationEnd {
        guard let end = model.ends.first(where: { $0.own.name == name && $0.isToMany }) else {
            throw .unknownToMany(name, of: model)
        }
        return end
    }

    /// Brings all into order. Nothing is added afterwards.
    ///
    /// - Complexity: O(n log n).
    package func finish() throws {
        do {
            let files = (try makeFile(), try makeFile())
            var allRows = none()
            var allMembers = none()
            swap(&allRows, &rows)
            swap(&allMembers, &members)
            try unsafe Self.write(allRows, to: files.0) { key, writer in
                unsafe writer.u16(Workspace.modelNumber(of: key))
                unsafe writer.counted([UInt8](key.dropFirst(2)))
            }
            try unsafe Self.write(allMembers, to: files.1) { key, writer in
                unsafe writer.u16(Workspace.modelNumber(of: key))
                var parser = unsafe KeyParser(key, skipping: 2)
                writer.counted(try parser.identifier())
            }
            sorted = files
            assignedSlots = listedSlots.mapValues { slots in
                Set(slots.filter { givenRelations.contains($0.value) }.keys)
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    private func none() -> ExternalSort { ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: makeFile) }

    private static func write(
        _ sort: consuming ExternalSort,
        to file: SpillFile,
        _ head: (UnsafeRawBufferPointer, inout ByteWriter) throws -> Void
    ) throws {
        var records = try sort.sorted()
        var writer = ByteWriter(capacity: 1 << 18)
        while try records.next() {
            let start = writer.count
            writer.u32(0)
            try unsafe head(records.key, &writer)
            unsafe writer.bytes(records.value)
            writer.patch(u32: UInt32(writer.count - start - 4), at: start)
            if writer.count >= 1 << 18 {
                try unsafe file.append(writer.bytes)
                writer.removeAll()
            }
        }
        try unsafe file.append(writer.bytes)
    }

    /// Reads the rows in the order of their keys, as often as is needed.
    func statedRows() -> StatedRows { StatedRows(files.rows) }

    /// Reads the members of lists, list by list.
    func statedMembers() -> StatedMembers { StatedMembers(files.members) }

    private var files: (rows: SpillFile, members: SpillFile) {
        guard let sorted else { preconditionFailure("It is brought into order before it is read.") }
        return sorted
    }
}
