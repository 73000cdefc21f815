/// Everything a store holds at one position: rows by model and id, lists by relationship and owner.
///
/// Both sides of every relationship are kept and changed separately, so that `checkInvariants()` can find them
/// disagreeing. Only the derived side of a many-to-many is looked up each time, by reading every list.
package struct AuditState: Sendable {
    package struct Row: Sendable, Equatable {
        /// Values by attribute or to-one; nil left out.
        package var values: [String: Datum]
        /// The position of the entity's last event, once the commit is known.
        package var revision: UInt64?
    }

    package struct Entry: Sendable, Equatable {
        /// The auditor's own identity of an entry; 0 in an ordered inverse, where the member is the identity.
        package let ticket: UInt64
        package let target: Text
    }

    package struct ListKey: Hashable, Sendable {
        package let owner: Entity
        package let relationship: String

        package init(_ owner: Entity, _ relationship: String) {
            self.owner = owner
            self.relationship = relationship
        }
    }

    package private(set) var tables: [String: [Text: Row]] = [:]
    package private(set) var lists: [ListName: [Text: [Entry]]] = [:]
    /// What was written since the last commit.
    package private(set) var touchedRows: Set<Entity> = []
    package private(set) var touchedLists: Set<ListKey> = []

    package struct ListName: Hashable, Sendable {
        package let model: String
        package let relationship: String
    }

    package init() {}

    package subscript(entity: Entity) -> Row? {
        get { tables[entity.model]?[entity.id] }
        set {
            tables[entity.model, default: [:]][entity.id] = newValue
            touchedRows.insert(entity)
        }
    }

    package subscript(list key: ListKey) -> [Entry] {
        get {
            lists[ListName(model: key.owner.model, relationship: key.relationship)]?[key.owner.id]
                ?? []
        }
        set {
            let name = ListName(model: key.owner.model, relationship: key.relationship)
            lists[name, default: [:]][key.owner.id] = newValue.isEmpty ? nil : newValue
            touchedLists.insert(key)
        }
    }

    package func exists(_ entity: Entity) -> Bool {
        self[entity] != nil
    }

    /// The ids of a model in the order of their bytes.
    package func ids(_ model: String) -> [Text] {
        (tables[model] ?? [:]).keys.sorted()
    }

    package func count(_ model: String) -> Int {
        tables[model]?.count ?? 0
    }

    /// The target of a to-one.
    package func reference(_ entity: Entity, _ name: String) -> Text? {
        guard case .reference(let id)? = self[entity]?.values[name] else { return nil }
        return id
    }

    /// Gives values and lists of a model other names: by each old name the new one.
    package mutating func rename(_ names: [String: String], of model: String) {
        for (id, row) in tables[model] ?? [:] {
            for (old, new) in names {
                guard let value = row.values[old] else { continue }
                tables[model]?[id]?.values[old] = nil
                tables[model]?[id]?.values[new] = value
            }
        }
        for (old, new) in names {
            guard let entries = lists.removeValue(forKey: ListName(model: model, relationship: old)) else { continue }
            lists[ListName(model: model, relationship: new)] = entries
        }
    }

    /// Replaces values of a model by what functions make of them.
    package mutating func convert(_ conversions: [AuditConversion], of model: String) {
        for (id, row) in tables[model] ?? [:] {
            for conversion in conversions {
                guard let value = row.values[conversion.from] else { continue }
                tables[model]?[id]?.values[conversion.from] = nil
                tables[model]?[id]?.values[conversion.to] = conversion.value(value)
            }
        }
    }

    /// Leaves out values and lists of a model.
    package mutating func remove(_ names: [String], of model: String) {
        for name in names {
            for id in ids(model) { tables[model]?[id]?.values[name] = nil }
            lists[ListName(model: model, relationship: name)] = nil
        }
    }

    package mutating func forgetTouched() {
        touchedRows = []
        touchedLists = []
    }

    /// The lists that have other entries than in another state, or the same in another order.
    package func differingLists(from other: AuditState) -> [ListKey] {
        var keys: Set<ListKey> = []
        for (name, byOwner) in Array(lists) + Array(other.lists) {
            for owner in byOwner.keys { keys.insert(ListKey(Entity(name.model, owner), name.relationship)) }
        }
        return keys.filter { self[list: $0] != other[list: $0] }
    }

    /// Whether the contents are the same, revisions included.
    package func holdsTheSame(as other: AuditState) -> Bool {
        func rows(_ state: AuditState) -> [String: [Text: Row]] {
            state.tables.filter { !$0.value.isEmpty }
        }
        func lists(_ state: AuditState) -> [ListName: [Text: [Entry]]] {
            state.lists.filter { !$0.value.isEmpty }
        }
        return rows(self) == rows(other) && lists(self) == lists(other)
    }
}

// MARK: - Reading relationships

extension AuditState {
    /// The entries of a side that is a list: stored order; a derived side has one entry for each entry of a list that
    /// holds the entity, in the order of the owners' ids and then of the list (REL-14).
    package func entries(_ relationship: AuditRelationship, of owner: Entity) -> [Entry] {
        switch relationship.shape {
        case .toOne:
            reference(owner, relationship.name).map { [Entry(ticket: 0, target: $0)] } ?? []
        case .orderedInverse, .manyToMany:
            self[list: ListKey(owner, relationship.name)]
        case .derived:
            holders(of: owner.id, in: relationship).flatMap { holder, entries in
                entries.map { Entry(ticket: $0.ticket, target: holder) }
            }
        }
    }

    private func holders(
        of id: Text,
        in derived: AuditRelationship
    ) -> [(holder: Text, entries: [Entry])] {
        guard let list = derived.inverse else { return [] }
        let all = lists[ListName(model: derived.target, relationship: list)] ?? [:]
        var holders: [(holder: Text, entries: [Entry])] = []
        for (holder, entries) in all {
            let found = entries.filter { $0.target == id }
            if !found.isEmpty { holders.append((holder, found)) }
        }
        return holders.sorted { $0.holder < $1.holder }
    }

    /// Who refers to `entity` through a relationship that has no name on its side.
    package func anonymousHolders(
        of entity: Entity,
        through relationship: AuditRelationship,
        of owner: String
    ) -> [Entity] {
        switch relationship.shape {
        case .toOne:
            let rows = tables[owner] ?? [:]
            return rows.keys.filter { rows[$0]?.values[relationship.name] == .reference(entity.id) }
                .map { Entity(owner, $0) }
        case .manyToMany:
            let all = lists[ListName(model: owner, relationship: relationship.name)] ?? [:]
            return all.filter { $0.value.contains { $0.target == entity.id } }
                .map { Entity(owner, $0.key) }
        case .orderedInverse, .derived:
            return []
        }
    }
}

// MARK: - Invariants

extension AuditState {
    /// The first rule that the state breaks, in words; nil when it is sound. The auditor checks itself: a wrong
    /// prediction must never come from a state that could not exist.
    package func brokenInvariant(_ schema: AuditSchema) -> String? {
        for model in schema.models {
            for (id, row) in tables[model.name] ?? [:] {
                let owner = Entity(model.name, id)
                for relationship in model.relationships {
                    let targets = entries(relationship, of: owner).map(\.target)
                    if let missing = targets.first(where: {
                        !exists(Entity(relationship.target, $0))
                    }) {
                        return
                            "\(owner).\(relationship.name) holds \(missing), which does not exist"
                    }
                    if relationship.isRequired && row.values[relationship.name] == nil {
                        return "\(owner).\(relationship.name) is required and nil"
                    }
                    if let disagreement = disagreement(relationship, of: owner, targets) {
                        return disagreement
                    }
                }
            }
        }
        for (name, byOwner) in lists {
            for owner in byOwner.keys where !exists(Entity(name.model, owner)) {
                return "\(name.model) \(owner) is gone and has a list \(name.relationship)"
            }
        }
        return nil
    }

    private func disagreement(
        _ relationship: AuditRelationship,
        of owner: Entity,
        _ targets: [Text]
    ) -> String? {
        guard let inverse = relationship.inverse else { return nil }
        for target in Set(targets) {
            let partner = Entity(relationship.target, target)
            let back: Int =
                if let reference = reference(partner, inverse) {
                    reference == owner.id ? 1 : 0
                } else {
                    self[list: ListKey(partner, inverse)].filter { $0.target == owner.id }.count
                }
            let here = targets.filter { $0 == target }.count
            // The derived side is computed from the other one: nothing to compare.
            if relationship.shape != .derived && relationship.shape != .manyToMany && back != here {
                return "\(owner).\(relationship.name) and \(partner).\(inverse) disagree"
            }
        }
        return nil
    }
}
