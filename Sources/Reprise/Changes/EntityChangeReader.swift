/// Puts names to the numbers in deltas.
struct EntityChangeReader {
    let schema: CompiledSchema

    func change(_ delta: EntityDelta) throws -> ChangeSet.EntityChange {
        let model = try schema.model(delta.entity.model)
        let entity = EntityReference(model: model.name, id: delta.entity.text)
        var fields: [EventRecord.Change] = []
        var entries: [ChangeSet.EntryChange] = []
        var kind = ChangeSet.EntityChange.Kind.updated
        switch delta.row {
        case .same: break
        case .inserted(let payload):
            kind = .inserted
            fields = try values(of: payload, model).map { EventRecord.Change(name: $0.name, from: .null, to: $0.value) }
        case .deleted(let payload):
            kind = .deleted
            fields = try values(of: payload, model).map { EventRecord.Change(name: $0.name, from: $0.value, to: .null) }
        case .updated(let slots):
            for attribute in model.description.recordedAttributes {
                guard let slot = slots.first(where: { $0.slot == attribute.slot }) else { continue }
                let (from, to) = (try value(slot.from, attribute), try value(slot.to, attribute))
                if from != to {
                    fields.append(EventRecord.Change(name: attribute.name, from: from, to: to))
                } else if let move = try move(of: entity, in: slot, model) {
                    entries.append(move)
                }
            }
        }
        try delta.entries.forEach { entries.append(try entry($0, of: entity)) }
        return ChangeSet.EntityChange(entity: entity, kind: kind, fields: fields, entries: entries)
    }

    /// The values of a row, in the order of the schema. One that is older than an attribute has its default (STO-88).
    /// What a conversion has read is not told beside what it has made of it.
    func values(of payload: [UInt8], _ model: CompiledModel) throws -> [(name: String, value: Value)] {
        try unsafe payload.withUnsafeBytes { bytes in
            let row = try unsafe RowPayload(trusting: bytes)
            let converted = model.description.attributes.filter { attribute in
                unsafe !attribute.origins.isEmpty && row.slot(attribute.slot) != nil
            }
            return try model.description.recordedAttributes.compactMap { attribute in
                let isRemoved = model.attribute(slot: attribute.slot) == nil
                if isRemoved, converted.contains(where: { $0.origins.contains(attribute.slot) }) { return nil }
                guard let bytes = unsafe row.slot(attribute.slot) else {
                    return attribute.defaultValue.map { (attribute.name, $0) }
                }
                return (attribute.name, try unsafe Value(decoding: bytes, as: attribute.type))
            }
        }
    }

    func value(_ bytes: [UInt8]?, _ attribute: AttributeDescription) throws -> Value {
        guard let bytes else { return attribute.defaultValue ?? .null }
        return try unsafe bytes.withUnsafeBytes { try unsafe Value(decoding: $0, as: attribute.type) }
    }

    /// That a member stands in another place of the list that its to-one leads to.
    private func move(
        of member: EntityReference,
        in slot: SlotDelta,
        _ model: CompiledModel
    ) throws -> ChangeSet.EntryChange? {
        guard let reference = model.references.first(where: { $0.slot == slot.slot }), let bytes = slot.to else {
            return nil
        }
        let place = try unsafe bytes.withUnsafeBytes { bytes in
            let place = try unsafe ReferenceBytes(bytes)
            return unsafe (orderKey: place.orderKey, owner: String(decoding: place.target, as: UTF8.self))
        }
        let end = RelationEnd(relation: reference.relation, side: .target)
        return ChangeSet.EntryChange(
            kind: .moved,
            list: end.displayName(in: schema.description),
            owner: EntityReference(model: try schema.model(reference.targetModel).name, id: place.owner),
            target: member,
            entry: EntryID(serial: 0, target: member.id, place: place.orderKey)
        )
    }

    private func entry(_ delta: EntryDelta, of owner: EntityReference) throws -> ChangeSet.EntryChange {
        let relation = try schema.relation(delta.relation)
        let kind: ChangeSet.EntryChange.Kind =
            switch (delta.from, delta.to) {
            case (nil, _): .linked
            case (_, nil): .unlinked
            default: .moved
            }
        let id = String(decoding: delta.target, as: UTF8.self)
        return ChangeSet.EntryChange(
            kind: kind,
            list: RelationEnd(relation: relation, side: .source).displayName(in: schema.description),
            owner: owner,
            target: EntityReference(model: try schema.model(relation.target.model).name, id: id),
            entry: EntryID(serial: delta.serial, target: id, place: delta.to ?? delta.from ?? 0)
        )
    }
}
