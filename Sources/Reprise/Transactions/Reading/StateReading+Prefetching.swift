/// Results with what they are related to, in one pass: no lookup for each result.
extension StateReading where Self: ~Copyable {
    /// The results, each with the target of a to-one relationship. Each target is read once, in the order of
    /// identifiers.
    ///
    /// ```swift
    /// for (note, folder) in try transaction.fetch(notes, with: \.folder) { … }
    /// ```
    public func fetch<M: Model, Target: Model>(
        _ descriptor: FetchDescriptor<M>,
        with property: KeyPath<M, Identifier<Target>?>
    ) throws -> [(M, Target?)] {
        let models = try fetch(descriptor)
        let targets = try entities(models.compactMap { $0[keyPath: property] })
        return models.map { model in (model, model[keyPath: property].flatMap { targets[$0] }) }
    }

    /// The results, each with the target of a to-one relationship that is always set.
    public func fetch<M: Model, Target: Model>(
        _ descriptor: FetchDescriptor<M>,
        with property: KeyPath<M, Identifier<Target>>
    ) throws -> [(M, Target)] {
        let models = try fetch(descriptor)
        let targets = try entities(models.map { $0[keyPath: property] })
        return try models.compactMap { model in
            let id = model[keyPath: property]
            if let target = targets[id] { return (model, target) }
            guard try listed(id).isThere else {
                throw StoreError.damage(
                    "\(M.schema.name) \"\(model.id)\" points to \"\(id)\", which does not exist."
                )
            }
            return nil
        }
    }

    /// The results, each with what a to-many relationship holds, in its order, repeats kept. An entity that several
    /// results hold is read once.
    public func fetch<M: Model, Target: Model>(
        _ descriptor: FetchDescriptor<M>,
        with relationship: Relationship<M, Target>
    ) throws -> [(M, [Target])] {
        let models = try fetch(descriptor)
        var lists: [[Identifier<Target>]] = []
        for model in models {
            lists.append(try entries(relationship, of: model.id).map(\.target))
        }
        let targets = try entities(lists.flatMap(\.self))
        return zip(models, lists).map { model, ids in (model, ids.compactMap { targets[$0] }) }
    }

    /// The entities with these identifiers, as far as they exist; each is looked up once.
    public func fetch<M: Model>(_ type: M.Type = M.self, ids: [M.ID]) throws -> [M.ID: M] {
        try entities(ids)
    }

    private func entities<M: Model>(_ ids: [Identifier<M>]) throws -> [Identifier<M>: M] {
        var found: [Identifier<M>: M] = [:]
        for id in Set(ids).sorted() {
            if let model = try listed(id).model { found[id] = model }
        }
        return found
    }

    /// One of several entities that are asked for, and whether it is there: it is left out where an enum does not have
    /// a raw value in it (VAL-30).
    func listed<M: Model>(_ id: Identifier<M>) throws -> (model: M?, isThere: Bool) {
        var found: M?
        let isThere = try unsafe access.decodeRow(
            of: ObjectIdentifier(M.self),
            { M.schema.declaration },
            id: id.rawValue,
            isListed: true
        ) { (_, payload, slots) throws(ValueError) in
            found = try M.schema.decodeRow(id, payload, slots)
        }
        return (found, isThere)
    }
}
