import LegacyRecords
import Reprise

/// What a newer export of a source has that no earlier one had: new classes, properties and relationships, for which a
/// store gets a place by a change of its schema; and properties whose values no longer fit their type, which get a
/// wider one (``DetailedSource/widenedFields``).
///
/// What an earlier export had as well, and the store has no place for, was left out on purpose and stays left out.
struct SchemaGrowth {
    private var grown: SchemaDescription
    private let isNew: (_ name: String, _ model: String) -> Bool

    /// The schema of a store with what is new; nil where nothing is.
    ///
    /// - Parameter asText: whether a property that would be widened to numbers becomes text: the store has a whole
    ///   number that no double is.
    static func schema(
        for source: some LegacySource,
        _ history: SourceHistory,
        in store: Store,
        asText: Bool = false
    ) throws -> SchemaDescription? {
        var grown = schema(for: source, history, in: try store.schema)
        let widened = source.widenedFields
        if widened.isEmpty { return grown }
        var next = try grown ?? store.schema
        for model in source.schema.models {
            for attribute in model.attributes where widened[model.name]?.contains(attribute.name) == true {
                let type = asText && attribute.type == .double ? .string : attribute.type
                if next.widen(attribute.name, of: model.name, to: type) { grown = next }
            }
        }
        return grown
    }

    private static func schema(
        for source: some LegacySource,
        _ history: SourceHistory,
        in store: SchemaDescription
    ) -> SchemaDescription? {
        // An export that says nothing has fixed nothing.
        if store.models.isEmpty { return source.schema.models.isEmpty ? nil : source.schema }
        if history.fields.isEmpty { return nil }
        var growth = SchemaGrowth(source, history, store)
        let before = growth.grown
        for theirs in source.schema.models { growth.grow(by: theirs, history) }
        for relation in source.schema.relations { growth.grow(by: relation, of: source.schema) }
        return growth.grown == before ? nil : growth.grown
    }

    private init(_ source: some LegacySource, _ history: SourceHistory, _ store: SchemaDescription) {
        var present = SchemaDescription(
            models: store.models,
            relations: store.relations,
            version: store.version,
            floor: store.floor
        )
        // What was widened needs what it was widened from.
        for place in present.models.indices { present.models[place].forgetRetiredAttributes() }
        grown = present
        let (fields, absent) = (history.fields, source.absentFields)
        isNew = { name, model in
            fields[model]?.contains(name) != true && absent[model]?.contains(name) != true
        }
    }

    private mutating func grow(by theirs: ModelDescription, _ history: SourceHistory) {
        if let place = grown.models.firstIndex(where: { $0.name == theirs.name }) {
            let there = Set(grown.models[place].attributes.map(\.name))
            for attribute in theirs.attributes
            where !there.contains(attribute.name) && isNew(attribute.name, theirs.name) {
                grown.models[place].add(attribute)
            }
        } else if history.fields[theirs.name] == nil {
            let number = (grown.models.map(\.number).max() ?? 0) + 1
            var model = ModelDescription(
                number: number,
                name: theirs.name,
                version: theirs.version,
                slotCount: 0,
                attributes: [],
                indexes: []
            )
            for attribute in theirs.attributes { model.add(attribute) }
            grown.models.append(model)
        }
    }

    /// Adds a relationship whose attribute or list is new, and takes a new to-one away again whose other side is none.
    private mutating func grow(by relation: RelationDescription, of schema: SchemaDescription) {
        guard let sourceName = schema.model(relation.source.model)?.name,
            let targetName = schema.model(relation.target.model)?.name,
            let source = grown.model(named: sourceName), let name = relation.source.name
        else { return }
        guard let target = grown.model(named: targetName) else {
            return drop(name, of: source)
        }
        var added = relation
        added.number = (grown.relations.map(\.number).max() ?? 0) + 1
        added.source = .init(model: source.number, name: name, onDelete: relation.source.onDelete)
        added.target = .init(model: target.number, name: relation.target.name, onDelete: relation.target.onDelete)
        switch relation.kind {
        case .list:
            let isThere = grown.relations.contains { $0.source.model == source.number && $0.source.name == name }
            if isThere || grown.hasName(name, in: source) || !isNew(name, sourceName) { return }
        case .reference:
            guard let slot = unclaimedSlot(name, of: source) else { return }
            added.kind = .reference(slot: slot)
        case .pair:
            let other = relation.target.name ?? ""
            switch (unclaimedSlot(name, of: source), unclaimedSlot(other, of: target)) {
            case (let slot?, let targetSlot?): added.kind = .pair(sourceSlot: slot, targetSlot: targetSlot)
            // One side was there before, as something else.
            case (_?, nil): return drop(name, of: source)
            case (nil, _?): return drop(other, of: target)
            case (nil, nil): return
            }
        }
        if !isPair(relation), let other = added.target.name, grown.hasName(other, in: target) {
            added.target.name = nil
        }
        grown.relations.append(added)
    }

    private func isPair(_ relation: RelationDescription) -> Bool {
        if case .pair = relation.kind { true } else { false }
    }

    /// The slot of a to-one that belongs to no relationship yet.
    private func unclaimedSlot(_ name: String, of model: ModelDescription) -> Int? {
        guard let attribute = model.attribute(named: name), attribute.type == .reference else { return nil }
        let isClaimed = grown.relations.contains { relation in
            switch relation.kind {
            case .reference(let slot): relation.source.model == model.number && slot == attribute.slot
            case .pair(let slot, let targetSlot):
                relation.source.model == model.number && slot == attribute.slot
                    || relation.target.model == model.number && targetSlot == attribute.slot
            case .list: false
            }
        }
        return isClaimed ? nil : attribute.slot
    }

    private mutating func drop(_ name: String, of model: ModelDescription) {
        guard unclaimedSlot(name, of: model) != nil,
            let place = grown.models.firstIndex(where: { $0.number == model.number })
        else { return }
        grown.models[place].attributes.removeAll { $0.name == name }
    }
}

extension ModelDescription {
    /// Leaves out the attributes that were removed, unless others were widened from them.
    fileprivate mutating func forgetRetiredAttributes() {
        var slots = attributes.filter(\.isWidened).flatMap(\.origins)
        var kept: Set<Int> = []
        while let slot = slots.popLast() {
            guard let origin = retiredAttributes.first(where: { $0.slot == slot }) else { continue }
            kept.insert(slot)
            if origin.isWidened { slots += origin.origins }
        }
        retiredAttributes.removeAll { !kept.contains($0.slot) }
    }

    /// Adds an attribute that older rows need not have.
    fileprivate mutating func add(_ attribute: AttributeDescription) {
        attributes.append(
            AttributeDescription(slot: slotCount, name: attribute.name, type: attribute.type, isOptional: true)
        )
        slotCount += 1
    }
}

extension SchemaDescription {
    /// Whether an attribute or a list of a model has a name.
    fileprivate func hasName(_ name: String, in model: ModelDescription) -> Bool {
        self.model(model.number)?.attribute(named: name) != nil || name == "id"
            || relations.contains { relation in
                relation.source.model == model.number && relation.source.name == name
                    || relation.target.model == model.number && relation.target.name == name
            }
    }
}
