/// The rows that a relationship of one entity leads to.
enum RowList {
    /// The members of the owner's list, which hold a reference to the owner or are named by its entries.
    case members(of: ListKey)
    /// The owners of the many-to-many lists that have the target among their entries.
    case owners(of: ListKey)
    /// The row that the reference in a slot of another row leads to.
    case target(of: EntityKey, slot: Int)
}

/// Finds the lists that answer a condition on a relationship.
struct RowLists {
    /// How many lists one condition may have.
    static let countMax = 1024

    let model: CompiledModel

    /// The lists whose rows are those that fulfil the condition; nil where it is another kind of condition.
    func lists(for condition: FilterExpression) -> [RowList]? {
        switch condition {
        case .compare(let path, .equal, let value): return ids([value]).flatMap { lists(path, $0) }
        case .isIn(let path, let values): return ids(values).flatMap { lists(path, $0) }
        case .any(let path, .compare(["id"], .equal, let value)):
            return ids([value]).flatMap { lists(throughToMany: path, $0) }
        case .any(let path, .isIn(["id"], let values)):
            return ids(values).flatMap { lists(throughToMany: path, $0) }
        case .or(let parts):
            var all: [RowList] = []
            for part in parts {
                guard let lists = lists(for: part), all.count + lists.count <= Self.countMax else { return nil }
                all += lists
            }
            return all
        default: return nil
        }
    }

    /// The lists of the rows whose to-one leads to one of some entities.
    func lists(throughToOne name: String, _ ids: [[UInt8]]) -> [RowList]? {
        guard let slot = model.attribute(named: name)?.slot,
            let reference = model.referenceSlots.first(where: { $0.slot == slot })
        else { return nil }
        return ids.map { id in
            if let partner = reference.partnerSlot {
                return .target(of: EntityKey(model: reference.targetModel, id: id), slot: partner)
            }
            return .members(of: ListKey(relation: reference.relation.number, id: id))
        }
    }

    private func lists(_ path: FieldPath, _ ids: [[UInt8]]) -> [RowList]? {
        let names = path.components
        guard names.count == 1 || (names.count == 2 && names[1] == "id") else { return nil }
        return lists(throughToOne: names[0], ids)
    }

    private func lists(throughToMany path: FieldPath, _ ids: [[UInt8]]) -> [RowList]? {
        guard path.components.count == 1, model.attribute(named: path.components[0]) == nil,
            let end = model.ends.first(where: { $0.own.name == path.components[0] && $0.isToMany })
        else { return nil }
        return ids.map { id in
            let list = ListKey(relation: end.relation.number, id: id)
            switch (end.relation.kind, end.side) {
            case (.reference(let slot), _):
                return .target(of: EntityKey(model: end.other.model, id: id), slot: Int(slot))
            case (_, .source): return .owners(of: list)
            case (_, .target): return .members(of: list)
            }
        }
    }

    /// The bytes of identifiers; nil where one is something else, or there are too many.
    private func ids(_ values: [Value]) -> [[UInt8]]? {
        if values.count > Self.countMax { return nil }
        let ids = values.compactMap(\.identifierBytes)
        return ids.count == values.count ? ids : nil
    }
}
