/// Compares a stored schema with a declared one, and puts the schema together that follows.
///
/// Models and attributes are matched by name, relations by the model and the name of their source.
struct SchemaChangePlanner {
    private let stored: SchemaDescription
    private let declared: SchemaDescription
    private(set) var schema: SchemaDescription
    private(set) var steps: [SchemaStep] = []
    private(set) var refusals: [String] = []
    /// The numbers that the next of their kind get.
    private var nextModel: UInt16
    private var nextIndex: UInt16
    private var nextRelation: UInt16
    /// The number in the store of each declared model, and the slot of each of its slots.
    private var numbers: [UInt16: UInt16] = [:]
    private var slots: [UInt16: [Int: Int]] = [:]

    init(
        _ stored: SchemaDescription,
        _ earlier: [SchemaDescription],
        _ declared: SchemaDescription
    ) {
        self.stored = stored
        self.declared = declared
        schema = stored
        let all = earlier + [stored]
        nextModel = Self.next(all.flatMap { $0.models.map(\.number) })
        nextIndex = Self.next(all.flatMap { $0.models.flatMap(\.indexNumbers) })
        nextRelation = Self.next(all.flatMap { $0.relations.map(\.number) })
    }

    /// The number after the highest that was used; zero, which no schema may have, where all are used.
    private static func next(_ used: [UInt16]) -> UInt16 { (used.max() ?? 0) &+ 1 }

    mutating func plan() {
        for model in stored.models where declared.model(named: model.name) == nil {
            refusals.append(
                "The store has a model \(model.name) that is not declared. Declare it, also where it is not used."
            )
        }
        for model in declared.models { planModel(model) }
        planRelations()
        do throws(SchemaError) {
            try schema.validate()
        } catch {
            if refusals.isEmpty { refusals.append("\(error)") }
        }
    }

    // MARK: Models

    private mutating func planModel(_ model: ModelDescription) {
        guard let old = stored.model(named: model.name) else {
            steps.append(.addsModel(model.name))
            numbers[model.number] = nextModel
            var added = model
            added.number = nextModel
            for place in added.indexes.indices { added.indexes[place].number = takeIndexNumber() }
            if added.search != nil { added.search?.number = takeIndexNumber() }
            slots[model.number] = Dictionary(
                uniqueKeysWithValues: model.attributes.map { ($0.slot, $0.slot) }
            )
            nextModel &+= 1
            schema.models.append(added)
            return
        }
        numbers[model.number] = old.number
        var changed = old
        if model.version != old.version {
            changed.version = model.version
            if model.version < old.version {
                refusals.append(
                    "\(model.name) is version \(old.version) in the store and declared as \(model.version). "
                        + "Raise a version, never lower it."
                )
            } else {
                steps.append(.setsVersion(model: model.name, model.version))
            }
        }
        planAttributes(model, old, &changed)
        planIndexes(model, old, &changed)
        planSearch(model, old, &changed)
        if let place = schema.models.firstIndex(where: { $0.number == old.number }) {
            schema.models[place] = changed
        }
    }

    private mutating func planAttributes(
        _ model: ModelDescription,
        _ old: ModelDescription,
        _ changed: inout ModelDescription
    ) {
        // Models may have thousands of attributes.
        let there = Dictionary(old.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let declaredNames = Set(model.attributes.map(\.name))
        let gone = old.attributes.filter { !declaredNames.contains($0.name) }
        var places: [Int: Int] = [:]
        for (place, attribute) in changed.attributes.enumerated() { places[attribute.slot] = place }
        var map: [Int: Int] = [:]
        for attribute in model.attributes {
            let name = "\(model.name).\(attribute.name)"
            guard let before = there[attribute.name] else {
                var added = attribute
                added.slot = changed.slotCount
                map[attribute.slot] = added.slot
                changed.slotCount += 1
                changed.attributes.append(added)
                if let lost = gone.first(where: { $0.type == attribute.type }) {
                    refusals.append(
                        "\(model.name).\(lost.name) is gone and \(name) of the same type is new. Reprise does not "
                            + "guess whether that is another name: declare \(lost.name) beside \(attribute.name)."
                    )
                } else if !attribute.isOptional {
                    refusals.append(
                        "\(name) is new and required, and older rows have no value for it. Make it optional."
                    )
                } else {
                    steps.append(.addsAttribute(model: model.name, attribute.name))
                }
                continue
            }
            map[attribute.slot] = before.slot
            if before.type != attribute.type, before.type.grows(into: attribute.type), let place = places[before.slot] {
                changed.attributes[place].type = attribute.type
                steps.append(.addsFields(model: model.name, attribute.name))
            } else if before.type != attribute.type {
                refusals.append(
                    "\(name) has another type in the store. Declare it with that type, or a new attribute under "
                        + "another name."
                )
            }
            if before.isOptional != attribute.isOptional, let place = places[before.slot] {
                changed.attributes[place].isOptional = attribute.isOptional
                steps.append(
                    attribute.isOptional
                        ? .makesOptional(model: model.name, attribute.name)
                        : .makesRequired(model: model.name, attribute.name)
                )
            }
        }
        for lost in gone where !model.attributes.contains(where: { there[$0.name] == nil && $0.type == lost.type }) {
            refusals.append(
                "The store has \(model.name).\(lost.name), which is not declared. Declare it."
            )
        }
        slots[model.number] = map
    }

    // MARK: Indexes

    private mutating func planIndexes(
        _ model: ModelDescription,
        _ old: ModelDescription,
        _ changed: inout ModelDescription
    ) {
        var left = old.indexes
        changed.indexes = []
        for index in model.indexes {
            let wanted = index.slots.compactMap { slots[model.number]?[$0] }
            if let place = left.firstIndex(where: {
                $0.slots == wanted && $0.isUnique == index.isUnique
            }) {
                changed.indexes.append(left.remove(at: place))
                continue
            }
            changed.indexes.append(
                IndexDescription(number: takeIndexNumber(), slots: wanted, isUnique: index.isUnique)
            )
            steps.append(
                .addsIndex(model: model.name, names(index.slots, model), isUnique: index.isUnique)
            )
        }
        for index in left { steps.append(.dropsIndex(model: model.name, names(index.slots, old))) }
    }

    private mutating func planSearch(
        _ model: ModelDescription,
        _ old: ModelDescription,
        _ changed: inout ModelDescription
    ) {
        guard let search = model.search else {
            changed.search = nil
            if old.search != nil { steps.append(.dropsSearchIndex(model: model.name)) }
            return
        }
        let fields = search.fields.compactMap { field in
            slots[model.number]?[field.slot].map { SearchDescription.Field(slot: $0, weight: field.weight) }
        }
        if let there = old.search, Set(there.fields) == Set(fields) { return }
        changed.search = SearchDescription(number: takeIndexNumber(), fields: fields)
        if old.search != nil { steps.append(.dropsSearchIndex(model: model.name)) }
        steps.append(.addsSearchIndex(model: model.name, names(search.fields.map(\.slot), model)))
    }

    private func names(_ slots: [Int], _ model: ModelDescription) -> [String] {
        slots.map { model.attribute(slot: $0)?.name ?? "" }
    }

    private mutating func takeIndexNumber() -> UInt16 {
        defer { nextIndex &+= 1 }
        return nextIndex
    }

    // MARK: Relationships

    private mutating func planRelations() {
        var left = stored.relations
        for relation in declared.relations {
            guard var wanted = translated(relation) else { continue }
            func place(of wanted: RelationDescription) -> Int? {
                left.firstIndex {
                    $0.source.model == wanted.source.model && $0.source.name == wanted.source.name
                }
            }
            // Which side of a one-to-one is the source follows from the order of the models.
            if place(of: wanted) == nil, let other = wanted.otherWayRound, place(of: other) != nil {
                wanted = other
            }
            let place = place(of: wanted)
            guard let place else {
                wanted.number = nextRelation
                nextRelation &+= 1
                schema.relations.append(wanted)
                steps.append(.addsRelationship(model: name(wanted.source), wanted.source.name ?? ""))
                continue
            }
            let old = left.remove(at: place)
            wanted.number = old.number
            compare(old, wanted)
            if let place = schema.relations.firstIndex(where: { $0.number == old.number }) {
                schema.relations[place] = wanted
            }
        }
        for relation in left
        where declared.model(named: name(relation.source)) != nil
            && stored.model(relation.source.model)?.attribute(named: relation.source.name ?? "") == nil
        {
            refusals.append(
                "The store has a relationship \(name(relation.source)).\(relation.source.name ?? ""), which is "
                    + "not declared. Declare it."
            )
        }
    }

    private mutating func compare(_ old: RelationDescription, _ new: RelationDescription) {
        let place = "\(name(old.source)).\(old.source.name ?? "")"
        if old.kind != new.kind || old.target.model != new.target.model {
            refusals.append(
                "The relationship \(place) leads elsewhere in the store, or is of another kind. "
                    + "Declare it as it was."
            )
            return
        }
        if old.target.name != new.target.name {
            if let name = old.target.name {
                refusals.append(
                    "The other side of \(place) is \(self.name(old.target)).\(name) in the store. Declare it so."
                )
            } else {
                steps.append(.namesInverse(model: name(new.target), new.target.name ?? ""))
            }
        }
        for (before, after) in [(old.source, new.source), (old.target, new.target)]
        where before.onDelete != after.onDelete {
            let shown = after.name ?? "\(place) (its other side)"
            steps.append(.changesDeleteRule(model: name(after), shown))
        }
    }

    private func name(_ end: RelationDescription.End) -> String {
        schema.model(end.model)?.name ?? ""
    }

    /// A declared relation with the numbers and slots of the store.
    private func translated(_ relation: RelationDescription) -> RelationDescription? {
        guard let source = numbers[relation.source.model], let target = numbers[relation.target.model]
        else { return nil }
        var translated = relation
        translated.source.model = source
        translated.target.model = target
        switch relation.kind {
        case .reference(let slot):
            guard let slot = slots[relation.source.model]?[slot] else { return nil }
            translated.kind = .reference(slot: slot)
        case .pair(let sourceSlot, let targetSlot):
            guard let sourceSlot = slots[relation.source.model]?[sourceSlot],
                let targetSlot = slots[relation.target.model]?[targetSlot]
            else { return nil }
            translated.kind = .pair(sourceSlot: sourceSlot, targetSlot: targetSlot)
        case .list: break
        }
        return translated
    }
}

extension RelationDescription {
    /// A one-to-one relation with its ends exchanged; nil for others.
    fileprivate var otherWayRound: RelationDescription? {
        guard case .pair(let sourceSlot, let targetSlot) = kind else { return nil }
        return RelationDescription(
            number: number,
            kind: .pair(sourceSlot: targetSlot, targetSlot: sourceSlot),
            source: target,
            target: source
        )
    }
}

extension ModelDescription {
    /// The numbers of all its indexes, that of words among them.
    var indexNumbers: [UInt16] { indexes.map(\.number) + (search.map { [$0.number] } ?? []) }
}

extension ValueType {
    /// Whether every stored value is one of another type as well, because only optional fields are added at the end of
    /// embedded structs.
    fileprivate func grows(into other: ValueType) -> Bool {
        switch (self, other) {
        case (.list(let old, let oldNils), .list(let new, let newNils)),
            (.set(let old, let oldNils), .set(let new, let newNils)),
            (.map(let old, let oldNils), .map(let new, let newNils)):
            return oldNils == newNils && old.grows(into: new)
        case (.embedded(let old), .embedded(let new)):
            guard new.count >= old.count, new[old.count...].allSatisfy(\.isOptional) else { return false }
            return zip(old, new).allSatisfy { old, new in
                old.name == new.name && old.isOptional == new.isOptional && old.type.grows(into: new.type)
            }
        default: return self == other
        }
    }
}
