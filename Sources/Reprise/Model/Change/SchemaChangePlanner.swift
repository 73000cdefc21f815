/// Compares a stored schema with a declared one, and puts the schema together that follows.
struct SchemaChangePlanner {
    let stored: SchemaDescription
    let declared: SchemaDescription
    let removals: SchemaRemovals
    var schema: SchemaDescription
    var mapping = SchemaMapping()
    var steps: [SchemaStep] = []
    var refusals: [String] = []
    /// The numbers that the next of their kind get.
    private var nextModel: UInt16
    private var nextIndex: UInt16
    private var nextRelation: UInt16
    /// The slots of a model that have got a default, whose index entries are others now.
    private var newDefaults: Set<Int> = []

    init(
        _ stored: SchemaDescription,
        _ earlier: [SchemaDescription],
        _ declared: SchemaDescription,
        _ removals: SchemaRemovals
    ) {
        self.stored = stored
        self.declared = declared
        self.removals = removals
        schema = stored
        let all = earlier + [stored]
        nextModel = Self.next(all.flatMap { ($0.models + $0.retiredModels).map(\.number) })
        nextIndex = Self.next(all.flatMap { $0.models.flatMap(\.indexNumbers) })
        nextRelation = Self.next(all.flatMap { ($0.relations + $0.retiredRelations).map(\.number) })
    }

    /// The number after the highest that was used; zero, which no schema may have, where all are used.
    private static func next(_ used: [UInt16]) -> UInt16 { (used.max() ?? 0) &+ 1 }

    mutating func plan() {
        let matching = NameMatching(declared: declared.models.map(\.names), stored: stored.models.map(\.names))
        for place in matching.gone(of: stored.models.count) { planRemoval(of: stored.models[place]) }
        for (place, model) in declared.models.enumerated() {
            if let old = matching.places[place] {
                planModel(model, stored.models[old])
            } else {
                addModel(model)
            }
        }
        planRelations()
        do throws(SchemaError) {
            try schema.validate()
        } catch {
            if refusals.isEmpty { refusals.append("\(error)") }
        }
    }

    // MARK: Models

    private mutating func addModel(_ model: ModelDescription) {
        steps.append(.addsModel(model.name))
        mapping.models[model.number] = nextModel
        mapping.slots[model.number] = Dictionary(
            uniqueKeysWithValues: model.attributes.map { ($0.slot, $0.slot) }
        )
        var added = model
        added.number = nextModel
        nextModel &+= 1
        for place in added.indexes.indices { added.indexes[place].number = takeIndexNumber() }
        if added.search != nil { added.search?.number = takeIndexNumber() }
        // No row is older than its model.
        for place in added.attributes.indices { added.attributes[place].defaultValue = nil }
        added.retiredAttributes = []
        schema.models.append(added)
    }

    private mutating func planRemoval(of model: ModelDescription) {
        guard removals.models.contains(model.name) else {
            refusals.append(
                "The store has a model \(model.name) that is not declared. Declare it, or write "
                    + "Schema(…, removed: [\"\(model.name)\"]), or .renamedFrom(\"\(model.name)\") at the model "
                    + "that it has become."
            )
            return
        }
        steps.append(.removesModel(model.name))
        schema.models.removeAll { $0.number == model.number }
        var retired = model
        retired.indexes = []
        retired.search = nil
        schema.retiredModels.append(retired)
        schema.retiredModels.sort { $0.number < $1.number }
    }

    private mutating func planModel(_ model: ModelDescription, _ old: ModelDescription) {
        mapping.models[model.number] = old.number
        var changed = old
        changed.name = model.name
        changed.earlierNames = NameMatching.merged(model.names, old.names)
        if model.name != old.name { steps.append(.renamesModel(from: old.name, to: model.name)) }
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
        newDefaults = []
        planAttributes(model, old, &changed)
        planIndexes(model, old, &changed)
        planSearch(model, old, &changed)
        if let place = schema.models.firstIndex(where: { $0.number == old.number }) {
            schema.models[place] = changed
        }
    }

    // MARK: Attributes

    private mutating func planAttributes(
        _ model: ModelDescription,
        _ old: ModelDescription,
        _ changed: inout ModelDescription
    ) {
        let matching = NameMatching(
            declared: model.attributes.map(\.names),
            stored: old.attributes.map(\.names)
        )
        var gone: [AttributeDescription] = []
        for attribute in matching.gone(of: old.attributes.count).map({ old.attributes[$0] }) {
            guard removals.hasMember(attribute.name, of: model.name) else {
                gone.append(attribute)
                continue
            }
            steps.append(.removesAttribute(model: model.name, attribute.name))
            changed.attributes.removeAll { $0.slot == attribute.slot }
            changed.retiredAttributes.append(attribute)
        }
        // Models may have thousands of attributes.
        var places: [Int: Int] = [:]
        for (place, attribute) in changed.attributes.enumerated() { places[attribute.slot] = place }
        var slots: [Int: Int] = [:]
        for (place, attribute) in model.attributes.enumerated() {
            if let before = matching.places[place].map({ old.attributes[$0] }) {
                slots[attribute.slot] = before.slot
                guard let place = places[before.slot] else { continue }
                planAttribute(attribute, before, of: model, &changed.attributes[place])
            } else {
                slots[attribute.slot] = changed.slotCount
                addAttribute(attribute, of: model, instead: gone, &changed)
            }
        }
        mapping.slots[model.number] = slots
        let isNew = Set(model.attributes.indices.filter { matching.places[$0] == nil })
        for lost in gone where !isNew.contains(where: { model.attributes[$0].type == lost.type }) {
            refusals.append(
                "The store has \(model.name).\(lost.name), which is not declared. Declare it, or write "
                    + ".removed(\"\(lost.name)\")."
            )
        }
    }

    private mutating func addAttribute(
        _ attribute: AttributeDescription,
        of model: ModelDescription,
        instead gone: [AttributeDescription],
        _ changed: inout ModelDescription
    ) {
        var added = attribute
        added.slot = changed.slotCount
        changed.slotCount += 1
        changed.attributes.append(added)
        let name = "\(model.name).\(attribute.name)"
        if let lost = gone.first(where: { $0.type == attribute.type }) {
            refusals.append(
                "\(model.name).\(lost.name) is gone and \(name) of the same type is new. If it has another name now, "
                    + "write renamedFrom: \"\(lost.name)\" at \(attribute.name); otherwise write "
                    + ".removed(\"\(lost.name)\")."
            )
        } else if !attribute.isOptional, attribute.defaultValue == nil {
            refusals.append(
                "\(name) is new and required, and older rows have no value for it. Make it optional, or give it a "
                    + "default."
            )
        } else {
            steps.append(.addsAttribute(model: model.name, attribute.name))
        }
    }

    private mutating func planAttribute(
        _ attribute: AttributeDescription,
        _ before: AttributeDescription,
        of model: ModelDescription,
        _ changed: inout AttributeDescription
    ) {
        let name = "\(model.name).\(attribute.name)"
        changed.name = attribute.name
        changed.earlierNames = NameMatching.merged(attribute.names, before.names)
        if attribute.name != before.name {
            steps.append(.renamesAttribute(model: model.name, from: before.name, to: attribute.name))
        }
        if before.type != attribute.type, before.type.grows(into: attribute.type) {
            changed.type = attribute.type
            steps.append(.addsFields(model: model.name, attribute.name))
        } else if before.type != attribute.type {
            refusals.append(
                "\(name) has another type in the store. Declare it with that type, or a new attribute under "
                    + "another name."
            )
        }
        if before.isOptional == attribute.isOptional { return }
        changed.isOptional = attribute.isOptional
        if !attribute.isOptional {
            steps.append(.makesRequired(model: model.name, attribute.name))
            changed.defaultValue = attribute.defaultValue
            if attribute.defaultValue != nil { newDefaults.insert(before.slot) }
        } else if before.defaultValue == nil {
            steps.append(.makesOptional(model: model.name, attribute.name))
        } else {
            refusals.append(
                "\(name) cannot become optional: older rows have its default and no value of their own. Leave it "
                    + "required."
            )
        }
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
            let wanted = index.slots.compactMap { mapping.slots[model.number]?[$0] }
            let place = left.firstIndex { $0.slots == wanted && $0.isUnique == index.isUnique }
            if let place, newDefaults.isDisjoint(with: wanted) {
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
            mapping.slots[model.number]?[field.slot].map {
                SearchDescription.Field(slot: $0, weight: field.weight)
            }
        }
        let hasNewDefaults = !newDefaults.isDisjoint(with: fields.map(\.slot))
        if let there = old.search, Set(there.fields) == Set(fields), !hasNewDefaults { return }
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

    mutating func takeRelationNumber() -> UInt16 {
        defer { nextRelation &+= 1 }
        return nextRelation
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
