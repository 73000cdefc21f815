import Reprise

/// Lists that forbid their owner, or their members, to go while there is anything in them. An export that lacks the
/// owner lacks the entries, too, and what somebody else has put into a list keeps its owner anyway: so the entries go
/// first.
extension SchemaDescription {
    /// Whether there is a list that forbids its owner to go.
    var hasDenyingLists: Bool {
        relations.contains { $0.isList && $0.source.onDelete == .deny }
    }

    /// The names of a model's own lists that forbid their owner to go.
    func denyingLists(of model: String) -> [String] {
        lists(of: model).filter { $0.source.onDelete == .deny }.compactMap(\.source.name)
    }

    /// A model's own lists that forbid their members to go, by the models of these.
    func listsDenyingMembers(of model: String) -> [(name: String, member: String)] {
        lists(of: model).filter { $0.target.onDelete == .deny }
            .compactMap { relation in
                guard let name = relation.source.name, let member = self.model(relation.target.model)
                else { return nil }
                return (name, member.name)
            }
    }

    /// Whether a row forbids another one to go because it has it in a list of its own.
    func isDeniedToMember(_ denial: DeletionPlan.Denial) -> Bool {
        lists(of: denial.partner.model).contains { relation in
            guard relation.target.onDelete == .deny,
                self.model(relation.target.model)?.name == denial.entity.model
            else { return false }
            let name = relation.target.name ?? "\(denial.partner.model).\(relation.source.name ?? "")"
            return name == denial.relationship
        }
    }

    private func lists(of model: String) -> [RelationDescription] {
        guard let number = self.model(named: model)?.number else { return [] }
        return relations.filter { $0.isList && $0.source.model == number }
    }
}

extension RelationDescription {
    fileprivate var isList: Bool {
        if case .list = kind { true } else { false }
    }
}

extension StateReading where Self: ~Copyable {
    /// What the deletion of a row that the export lacks does at first hand: as
    /// ``StateReading/forEachConsequence(ofDeleting:_:)``, but that its own lists forbid nothing.
    func forEachConsequence(
        ofDeletingMissing row: EntityReference,
        _ body: (DeletionConsequence) throws -> Bool
    ) throws {
        var lists: [String]?
        try forEachConsequence(ofDeleting: row) { consequence in
            if case .isDenied(let denial) = consequence {
                let denying = lists ?? schema.denyingLists(of: row.model)
                lists = denying
                if denying.contains(denial.relationship) { return true }
            }
            return try body(consequence)
        }
    }
}

extension WriteTransaction {
    /// Takes out of a row's lists that forbid it to go what is in them, up to so many entries; returns how many.
    mutating func emptyDenyingLists(of row: EntityReference, upTo countMax: Int) throws -> Int {
        var count = 0
        for list in schema.denyingLists(of: row.model) where count < countMax {
            var entries: [EntryID] = []
            try forEachEntry(of: list, model: row.model, id: row.id) { entry in
                entries.append(entry)
                return entries.count < countMax - count
            }
            for entry in entries { try unlink(list, entry: entry, of: row) }
            count += entries.count
        }
        return count
    }

    /// Takes rows out of another one's lists that forbid them to go; returns how many entries that were.
    mutating func unlinkDenied(_ members: MissingRows, from owner: EntityReference) throws -> Int {
        var count = 0
        for list in schema.listsDenyingMembers(of: owner.model) {
            var entries: [EntryID] = []
            try forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
                let member = EntityReference(model: list.member, id: entry.target)
                if try members.contains(member) { entries.append(entry) }
                return true
            }
            for entry in entries { try unlink(list.name, entry: entry, of: owner) }
            count += entries.count
        }
        return count
    }

    /// Deletes a row that the export lacks, with all that goes along; their own lists do not forbid it.
    mutating func delete(missing row: EntityReference) throws -> DeletionPlan {
        guard schema.hasDenyingLists else { return try delete(row) }
        var last: EntityReference?
        // Those of one row come one after the other.
        for denial in try plan(delete: row).deniedBy where denial.entity != last {
            last = denial.entity
            _ = try emptyDenyingLists(of: denial.entity, upTo: .max)
        }
        return try delete(row)
    }
}
