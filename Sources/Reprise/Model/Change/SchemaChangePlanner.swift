/// Compares a stored schema with a declared one, and puts the schema together that follows.
struct SchemaChangePlanner {
    let stored: SchemaDescription
    let declared: SchemaDescription
    let removals: SchemaRemovals
    var schema: SchemaDescription
    var mapping = SchemaMapping()
    var steps: [SchemaStep] = []
    var refusals: [String] = []
    var conversions: [PlannedConversion] = []
    private(set) var codeChanges: [any CodeChange]
    /// How older rows get values, by the declared number of their model.
    let declaredConversions: [UInt16: [Conversion]]
    /// A schema whose numbers are taken for what is new where it has the same.
    let relative: SchemaDescription?
    /// The first numbers that the store has never used.
    let firstNewModel: UInt16
    let firstNewRelation: UInt16
    /// The numbers that the next of their kind get.
    var nextModel: UInt16
    var nextRelation: UInt16
    private var nextIndex: UInt16
    /// The slots of a model that have got a default, whose index entries are others now.
    var newDefaults: Set<Int> = []

    init(_ stored: SchemaDescription, _ earlier: [SchemaDescription], _ declared: Schema) {
        self.init(stored, earlier, declared.description, declared.removals, declared.conversions, declared.relative)
        codeChanges = declared.codeChanges.filter { $0.version > Int(stored.version) }
    }

    /// For two schemas of one store.
    init(_ stored: SchemaDescription, _ later: SchemaDescription) {
        self.init(stored, [], later, SchemaRemovals(later), [:], nil)
    }

    private init(
        _ stored: SchemaDescription,
        _ earlier: [SchemaDescription],
        _ declared: SchemaDescription,
        _ removals: SchemaRemovals,
        _ conversions: [UInt16: [Conversion]],
        _ relative: SchemaDescription?
    ) {
        self.stored = stored
        self.declared = declared
        self.removals = removals
        declaredConversions = conversions
        codeChanges = []
        schema = stored
        self.relative = relative
        let all = earlier + [stored]
        nextIndex = Self.next(all.flatMap { $0.models.flatMap(\.indexNumbers) })
        firstNewModel = Self.next(all.flatMap(\.modelNumbers))
        firstNewRelation = Self.next(all.flatMap(\.relationNumbers))
        let known = all + (relative.map { [$0] } ?? [])
        nextModel = Self.next(known.flatMap(\.modelNumbers))
        nextRelation = Self.next(known.flatMap(\.relationNumbers))
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
        schema.models.sort { $0.number < $1.number }
        planRelations()
        planCode()
        do throws(SchemaError) {
            try schema.validate()
        } catch {
            if refusals.isEmpty { refusals.append("\(error)") }
        }
    }

    /// An empty store is of the newest version from the beginning.
    private mutating func planCode() {
        guard declared.version > stored.version else { return }
        schema.version = declared.version
        let breaking = codeChanges.filter { !$0.keepsOlderCode }.map { UInt32(clamping: $0.version) }
        schema.floor = max(stored.floor, declared.floor, breaking.max() ?? 0)
        if stored.models.isEmpty, stored.retiredModels.isEmpty {
            codeChanges = []
        } else {
            let versions = codeChanges.isEmpty ? [Int(declared.version)] : codeChanges.map(\.version)
            steps += versions.map { .runsCode(version: $0) }
        }
    }

    // MARK: Models

    private mutating func addModel(_ model: ModelDescription) {
        steps.append(.addsModel(model.name))
        var added = model
        added.number = takeModelNumber(for: model.name)
        mapping.models[model.number] = added.number
        mapping.slots[model.number] = Dictionary(
            uniqueKeysWithValues: model.attributes.map { ($0.slot, $0.slot) }
        )
        for place in added.indexes.indices { added.indexes[place].number = takeIndexNumber() }
        if added.search != nil { added.search?.number = takeIndexNumber() }
        // No row is older than its model.
        for place in added.attributes.indices {
            added.attributes[place].defaultValue = nil
            added.attributes[place].forgetWidening()
        }
        added.retiredAttributes = []
        placeAttributes(of: &added, declaredAs: model.number)
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
        changed.slotCount = max(changed.slotCount, relative?.model(old.number)?.slotCount ?? 0)
        planAttributes(model, old, &changed)
        planIndexes(model, old, &changed)
        planSearch(model, old, &changed)
        if let place = schema.models.firstIndex(where: { $0.number == old.number }) {
            schema.models[place] = changed
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
}

extension SchemaDescription {
    fileprivate var modelNumbers: [UInt16] { (models + retiredModels).map(\.number) }
    fileprivate var relationNumbers: [UInt16] { (relations + retiredRelations).map(\.number) }
}

extension ModelDescription {
    /// The numbers of all its indexes, that of words among them.
    var indexNumbers: [UInt16] { indexes.map(\.number) + (search.map { [$0.number] } ?? []) }
}
