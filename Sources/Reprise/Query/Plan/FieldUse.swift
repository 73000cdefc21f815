/// Which slots of a row a filter looks at, so that an index that has them can stand in for the row.
struct FieldUse {
    let model: CompiledModel

    /// The slots; nil where that cannot be told.
    func slots(of expression: FilterExpression) -> Set<Int>? {
        switch expression {
        case .compare(let path, _, _), .isIn(let path, _), .contains(let path, _),
            .startsWith(let path, _), .endsWith(let path, _), .text(let path, _, _, _),
            .isNil(let path), .count(let path, _, _), .any(let path, _), .all(let path, _):
            return slots(of: path)
        case .compareFields(let left, _, let right):
            guard let slots = slots(of: left), let others = self.slots(of: right) else { return nil }
            return slots.union(others)
        // Its words have to be read from the row.
        case .matches: return nil
        case .not(let part): return slots(of: part)
        case .and(let parts), .or(let parts):
            var all: Set<Int> = []
            for part in parts {
                guard let slots = slots(of: part) else { return nil }
                all.formUnion(slots)
            }
            return all
        }
    }

    /// A path looks at its first component; the rest lies in other rows. A to-many relationship needs the identifier
    /// only, which every index has.
    func slots(of path: FieldPath) -> Set<Int>? {
        guard let name = path.components.first else { return nil }
        return model.attribute(named: name).map { [$0.slot] } ?? []
    }

    /// Whether a condition looks at nothing but the row.
    func isLocal(_ expression: FilterExpression) -> Bool {
        switch expression {
        case .compare(let path, _, _), .isIn(let path, _), .contains(let path, _),
            .startsWith(let path, _), .endsWith(let path, _), .text(let path, _, _, _),
            .isNil(let path):
            return path.components.count <= 1
        case .compareFields(let left, _, let right):
            return left.components.count <= 1 && right.components.count <= 1
        case .count(let path, _, _), .any(let path, _), .all(let path, _):
            return path.components.count <= 1
                && path.components.first.map { model.attribute(named: $0) != nil } ?? true
        // To cut rows into words is too much work for an estimate.
        case .matches: return false
        case .not(let part): return isLocal(part)
        case .and(let parts), .or(let parts): return parts.allSatisfy(isLocal)
        }
    }
}
