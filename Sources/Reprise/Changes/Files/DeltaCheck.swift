internal import RepriseLog

/// Makes sure that a change from a file is one that this library could have written: all that works with it may rely
/// on its form (Specs/format/changes.md).
struct DeltaCheck: Sendable {
    let schema: CompiledSchema
    /// The highest serial of an entry that the store itself has made.
    let serialMax: UInt64

    /// - Parameter last: the entity of the change before; nil for the first one.
    func check(_ delta: EntityDelta, behind last: EntityKey?) throws {
        let model = try schema.model(delta.entity.model)
        try checkID(delta.entity.id)
        if let last {
            let isBehind =
                last.model == delta.entity.model
                ? last.id.lexicographicallyPrecedes(delta.entity.id) : last.model < delta.entity.model
            guard isBehind else { throw Self.broken("entities are not in order") }
        }
        switch delta.row {
        case .same: if delta.entries.isEmpty { throw Self.broken("nothing becomes of an entity") }
        case .inserted(let payload), .deleted(let payload): try check(payload, model)
        case .updated(let slots):
            guard !slots.isEmpty, zip(slots, slots.dropFirst()).allSatisfy({ $0.slot < $1.slot }) else {
                throw Self.broken("attributes are not in order")
            }
            guard slots.allSatisfy({ $0.from != $0.to || $0.isInterrupted }) else {
                throw Self.broken("nothing becomes of an attribute")
            }
            try check(Self.row(of: slots.map { ($0.slot, $0.from) }), model)
            try check(Self.row(of: slots.map { ($0.slot, $0.to) }), model)
        }
        try check(delta.entries, model)
        try delta.neighbours.forEach { place in
            _ = try schema.relation(place.list.relation)
            try checkID(place.list.id)
        }
    }

    /// A row that has these values.
    ///
    /// - Parameter values: by ascending slots.
    private static func row(of values: [(slot: Int, bytes: [UInt8]?)]) throws -> [UInt8] {
        var writer = RowPayloadWriter(capacity: 256)
        var row = writer.beginRow(slotCount: (values.last?.slot ?? -1) + 1)
        var next = 0
        for (slot, bytes) in values {
            while next < slot {
                writer.skipSlot(&row)
                next += 1
            }
            next += 1
            guard let bytes else {
                writer.skipSlot(&row)
                continue
            }
            unsafe bytes.withUnsafeBytes { unsafe writer.append(bytes: $0) }
            writer.endSlot(&row)
        }
        try writer.endRow(row)
        return unsafe [UInt8](writer.bytes)
    }

    private func check(_ payload: [UInt8], _ model: CompiledModel) throws {
        try unsafe payload.withUnsafeBytes { try unsafe model.check(RowPayload($0)) }
    }

    private func check(_ entries: EntryDeltas, _ model: CompiledModel) throws {
        var last: EntryDelta?
        try entries.forEach { entry in
            let lists = (schema.description.relations + schema.description.retiredRelations)
            guard let list = lists.first(where: { $0.number == entry.relation }), list.kind == .list,
                list.source.model == model.number
            else { throw Self.broken("an entry is of no list of its entity") }
            if let last, (last.relation, last.serial) >= (entry.relation, entry.serial) {
                let haveOneSerial = (last.relation, last.serial) == (entry.relation, entry.serial)
                guard haveOneSerial, XXH64.hash(last.target) < XXH64.hash(entry.target) else {
                    throw Self.broken("entries are not in order")
                }
            }
            guard entry.serial > 0, EntryName(serial: entry.serial) != nil || entry.serial <= serialMax else {
                throw Self.broken("an entry has a serial that no event has given it")
            }
            guard entry.from != entry.to else { throw Self.broken("nothing becomes of an entry") }
            try checkID(entry.target)
            last = entry
        }
    }

    private func checkID(_ id: [UInt8]) throws {
        guard !id.isEmpty, String(validating: id, as: UTF8.self) != nil else {
            throw Self.broken("an identifier is no text")
        }
        try unsafe id.withUnsafeBytes { try unsafe IdentifierKey.check($0) }
    }

    private static func broken(_ detail: String) -> LogError { LogError(.corrupt, detail: detail) }
}
