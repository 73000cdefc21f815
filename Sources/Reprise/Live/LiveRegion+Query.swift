/// The region of a query: its model, and what the paths of its filter and order lead to.
extension LiveRegion {
    /// - Parameters:
    ///   - members: the identifiers that the query shows now; nil when it only counts.
    ///   - showsEntries: whether a change of the lists that a member owns is a change of the member.
    ///   - showsLists: whether its derived lists are shown, too.
    init(
        _ query: RecordQuery,
        members: Set<[UInt8]>?,
        showsEntries: Bool = false,
        showsLists: Bool = false,
        in schema: CompiledSchema
    ) throws(StoreError) {
        let model = try schema.model(named: query.model)
        let compiler = FilterCompiler(schema: schema, model: model)
        change(model.number) { part in
            part.insertions = .all
            // What is left out before the first result moves the others when it goes.
            part.deletions = members == nil || query.offset > 0 ? .all : .members
            if let members {
                part.members = members
                part.updates = .members
                if showsEntries { part.entries = .members }
            }
        }
        if let list = query.list { try include(list, model, schema) }
        if let filter = query.filter { try include(filter, model, compiler) }
        for key in query.sort { try include(key.path, model, compiler) }
        if showsLists { includeLists(of: model) }
    }

    /// The region of one entity.
    init(_ model: CompiledModel, id: [UInt8]) {
        change(model.number) { part in
            part.members = [id]
            part.insertions = .members
            part.deletions = .members
            part.updates = .members
        }
    }

    /// What the truth of a condition on rows of `model` depends on, beside the rows' coming and going.
    ///
    /// Every case is named, so that one that is added must be thought of here.
    private mutating func include(
        _ expression: FilterExpression,
        _ model: CompiledModel,
        _ compiler: FilterCompiler
    ) throws(StoreError) {
        switch expression {
        case .compare(let path, _, _), .isIn(let path, _), .contains(let path, _),
            .startsWith(let path, _), .endsWith(let path, _), .text(let path, _, _, _),
            .isNil(let path):
            try include(path, model, compiler)
        case .compareFields(let left, _, let right):
            try include(left, model, compiler)
            try include(right, model, compiler)
        case .matches(let path?, _): try include(path, model, compiler)
        case .matches(nil, _):
            let slots = model.search?.fields.map(\.slot) ?? []
            change(model.number) { $0.slots.formUnion(slots) }
        case .count(let path, _, _): try include(path, nil, model, compiler)
        case .any(let path, let condition), .all(let path, let condition):
            try include(path, condition, model, compiler)
        case .not(let part): try include(part, model, compiler)
        case .and(let parts), .or(let parts):
            for part in parts { try include(part, model, compiler) }
        }
    }

    /// Includes the events that can change the members of a list or their order.
    private mutating func include(
        _ list: ListReference,
        _ model: CompiledModel,
        _ schema: CompiledSchema
    ) throws(StoreError) {
        let place = try schema.list(list, of: model)
        for number in [place.owner.model, model.number] {
            change(number) { part in
                part.deletions = .all
                part.entries = .all
                if let slot = place.memberSlot { part.slots.insert(slot) }
            }
        }
    }

    /// What a condition on the elements of a collection depends on. Of a relationship that is every change of the lists
    /// that it is made of, and what the condition looks at in the entities that it leads to.
    private mutating func include(
        _ path: FieldPath,
        _ condition: FilterExpression?,
        _ model: CompiledModel,
        _ compiler: FilterCompiler
    ) throws(StoreError) {
        guard case .relation(let relation) = try compiler.collection(path) else {
            return try include(path, model, compiler)
        }
        var owner = model.number
        for hop in relation.hops {
            change(owner) { $0.slots.insert(hop.slot) }
            owner = hop.model.number
            change(owner) { $0.deletions = .all }
        }
        let target = relation.target
        // Whichever side has the list or the reference: both come, go and change their members.
        for number in [owner, target.number] {
            change(number) { part in
                part.insertions = .all
                part.deletions = .all
                part.entries = .all
                part.slots.formUnion(relation.slots)
            }
        }
        if let condition {
            let inner = FilterCompiler(schema: compiler.schema, model: target)
            try include(condition, target, inner)
        }
    }

    /// The attributes on the way to a value. What a reference leads to cannot vanish under it, so beside them only its
    /// deletion is noted, to be on the safe side.
    private mutating func include(
        _ path: FieldPath,
        _ model: CompiledModel,
        _ compiler: FilterCompiler
    ) throws(StoreError) {
        let field = try compiler.field(path)
        var current = model.number
        for hop in field.hops {
            change(current) { $0.slots.insert(hop.slot) }
            current = hop.model.number
            change(current) { $0.deletions = .all }
        }
        if case .slot(let slot) = field.source { change(current) { $0.slots.insert(slot) } }
    }

    /// The lists of a model's entities that others make: the members that point to them.
    private mutating func includeLists(of model: CompiledModel) {
        for end in model.ends {
            switch (end.relation.kind, end.side) {
            case (.reference(let slot), .target):
                change(end.other.model) { part in
                    part.insertions = .all
                    part.deletions = .all
                    part.slots.insert(Int(slot))
                }
            // Those that an entity owns are its own events; those that it stands in are no part of a record.
            case (.reference, .source), (.list, _), (.pair, _): break
            }
        }
    }
}
