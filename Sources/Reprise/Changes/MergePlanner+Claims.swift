internal import RepriseLMDB
internal import RepriseLog

/// Unique values in the final state.
extension MergePlanner {
    /// How much the claims may take in memory while they are sorted, in bytes.
    private static let claimByteCount = 24 << 20

    /// Sees to it that what must be unique is. Rows that want the same values are brought together by sorting.
    ///
    /// - Returns: whether it is so already.
    func checkClaims() throws -> Bool {
        guard schema.allModels.contains(where: { !$0.uniqueIndexes.isEmpty }) else { return true }
        var sorted = try claims().sorted()
        var isRight = true
        var claim: [UInt8] = []
        /// Who has the values in the final state, among the rows of the plan.
        var holder: EntityKey?
        while try sorted.next() {
            let key = unsafe sorted.key
            // Without the number that puts the rows with the same values into order.
            let present = unsafe UnsafeRawBufferPointer(rebasing: key[..<(key.count - ClaimRecord.orderByteCount)])
            if unsafe !present.elementsEqual(claim) {
                claim = unsafe [UInt8](present)
                holder = nil
            }
            let record = try unsafe ClaimRecord(sorted.value, schema)
            if record.isHeld {
                holder = record.entity
                continue
            }
            guard let other = try holder ?? presentHolder(record.entity, record.index) else {
                holder = record.entity
                continue
            }
            isRight = false
            let model = try schema.model(record.entity.model)
            let names = record.index.slots.map { model.attribute(slot: $0)?.name ?? "" }
            _ = try decide(.taken(attributes: names, by: try reference(other)), record.entity)
            if case .update(let from, let to)? = try plan.rows.row(of: record.entity) {
                let kept = try record.index.slots.map { SlotDelta(slot: $0, from: nil, to: try from.rowSlot($0)) }
                try set(.update(from: from, to: DeltaComposer.rewritten(to, kept)), for: record.entity)
            } else {
                try set(withoutValue(of: record.index, record.entity, model), for: record.entity)
            }
        }
        return isRight
    }

    /// A row that comes without a unique value that is taken, where it may; nil where it has to stay away.
    private func withoutValue(
        of index: CompiledIndex,
        _ entity: EntityKey,
        _ model: CompiledModel
    ) throws -> ChangePlan.Row? {
        guard !leavesOutTaken, index.slots.count == 1, let slot = index.slots.first,
            model.attribute(slot: slot)?.isOptional == true,
            case .insert(let payload)? = try plan.rows.row(of: entity)
        else { return nil }
        return .insert(try DeltaComposer.rewritten(payload, [SlotDelta(slot: slot, from: nil, to: nil)]))
    }

    /// The values of unique indexes that the rows of the plan will have: those that have them already come first.
    private func claims() throws -> ExternalSort {
        var sort = ExternalSort(memoryByteCount: Self.claimByteCount, makeFile: makeFile)
        var number: UInt64 = 0
        var value = ByteWriter()
        try plan.rows.forEach { entity, row in
            guard let payload = row.payload else { return }
            let model = try schema.model(entity.model)
            for index in model.uniqueIndexes {
                guard let wanted = try claim(index, payload, model) else { continue }
                var isHeld = false
                if case .update(let from, _) = row { isHeld = try claim(index, from, model) == wanted }
                var key = DeferredChanges.short(wanted)
                number += 1
                let order = number | (isHeld ? 0 : 1 << 63)
                unsafe withUnsafeBytes(of: order.bigEndian) { unsafe key.append(contentsOf: $0) }
                value.removeAll()
                ClaimRecord(entity: entity, index: index, isHeld: isHeld).write(to: &value)
                let room = try unsafe key.withUnsafeBytes { try unsafe sort.add(key: $0, valueByteCount: value.count) }
                guard let source = unsafe value.bytes.baseAddress else { continue }
                unsafe room.copyMemory(from: source, byteCount: value.count)
            }
        }
        return sort
    }

    private func claim(_ index: CompiledIndex, _ payload: [UInt8], _ model: CompiledModel) throws -> [UInt8]? {
        try unsafe payload.withUnsafeBytes {
            try unsafe UniqueClaim(index, RowPayload(trusting: $0, model.defaults))?.bytes
        }
    }

    /// Who has the values of a row of the plan now and keeps them.
    private func presentHolder(_ entity: EntityKey, _ index: CompiledIndex) throws -> EntityKey? {
        let model = try schema.model(entity.model)
        guard let payload = try plan.rows.row(of: entity)?.payload else { return nil }
        let id = try unsafe payload.withUnsafeBytes { bytes -> [UInt8]? in
            let row = try unsafe RowPayload(trusting: bytes, model.defaults)
            guard let claim = try UniqueClaim(index, row) else { return nil }
            var key = KeyBuffer()
            key.setRow(entity)
            return try unsafe workspace.holder(of: claim, model, index, row, except: key.bytes)
        }
        guard let id else { return nil }
        let holder = EntityKey(model: entity.model, id: id)
        // What the plan makes of it was looked at.
        return try plan.rows.row(of: holder) == nil ? holder : nil
    }
}

/// That a row of a plan will have the values of a unique index.
private struct ClaimRecord {
    /// How many bytes of a key say which record of the same values comes first.
    static let orderByteCount = 8

    let entity: EntityKey
    let index: CompiledIndex
    /// Whether it has them now.
    let isHeld: Bool

    init(entity: EntityKey, index: CompiledIndex, isHeld: Bool) {
        (self.entity, self.index, self.isHeld) = (entity, index, isHeld)
    }

    func write(to writer: inout ByteWriter) {
        writer.u8(isHeld ? 1 : 0)
        writer.u16(entity.model)
        writer.u16(index.number)
        unsafe entity.id.withUnsafeBytes { unsafe writer.bytes($0) }
    }

    init(_ bytes: UnsafeRawBufferPointer, _ schema: CompiledSchema) throws {
        var reader = unsafe ByteReader(bytes)
        isHeld = try reader.u8() == 1
        let model = try schema.model(try reader.u16())
        let number = try reader.u16()
        entity = unsafe EntityKey(model: model.number, id: reader.rest())
        guard let index = model.uniqueIndexes.first(where: { $0.number == number }) else {
            throw StoreError.damage("A temporary file names an index that the schema does not have.")
        }
        self.index = index
    }
}
