import Reprise

extension EntityReference {
    init(_ entity: Entity) {
        self.init(model: entity.model, id: entity.id.string)
    }
}

extension Entity {
    init(_ reference: EntityReference) {
        self.init(reference.model, Text(reference.id))
    }
}

extension AuditPlan {
    /// The engine's plan in the auditor's words.
    init(_ plan: DeletionPlan) {
        self.init()
        deleted = Set(plan.deleted.map { Entity($0) })
        nullified = Set(plan.nullified.map { Nullified(Entity($0.entity), $0.attribute) })
        unlinked = plan.unlinked
            .map { Unlinked(Entity($0.owner), $0.relationship, Text($0.entry.target)) }.sorted()
        denials = AuditPlan.denials(plan.deniedBy)
    }

    static func denials(_ denials: [DeletionPlan.Denial]) -> Set<AuditDenial> {
        Set(
            denials.map {
                AuditDenial(
                    partner: Entity($0.partner),
                    relationship: $0.relationship,
                    denied: Entity($0.entity)
                )
            }
        )
    }
}

extension AuditQuery {
    /// The question in the engine's words.
    var recordQuery: RecordQuery {
        RecordQuery(
            model: model,
            filter: filter.map { FilterExpression($0) },
            sort: sort.map { SortKey(FieldPath($0.path), descending: $0.isDescending) },
            limit: limit,
            offset: offset
        )
    }

    func descriptor<M: Model>(_: M.Type) -> FetchDescriptor<M> {
        let query = recordQuery
        return FetchDescriptor<M>(
            filter: query.filter.map { Filter($0) },
            sort: query.sort,
            limit: limit,
            offset: offset
        )
    }
}

extension FilterExpression {
    init(_ filter: AuditFilter) {
        switch filter {
        case .compare(let path, let comparison, let value):
            self = .compare(FieldPath(path), ComparisonOperator(comparison), Value(value))
        case .isIn(let path, let values): self = .isIn(FieldPath(path), values.map { Value($0) })
        case .contains(let path, let value): self = .contains(FieldPath(path), Value(value))
        case .startsWith(let path, let text): self = .startsWith(FieldPath(path), text.string)
        case .endsWith(let path, let text): self = .endsWith(FieldPath(path), text.string)
        case .isNil(let path): self = .isNil(FieldPath(path))
        case .not(let inner): self = .not(FilterExpression(inner))
        case .and(let filters): self = .and(filters.map { FilterExpression($0) })
        case .or(let filters): self = .or(filters.map { FilterExpression($0) })
        }
    }
}

extension ComparisonOperator {
    fileprivate init(_ comparison: AuditFilter.Comparison) {
        self =
            switch comparison {
            case .equal: .equal
            case .notEqual: .notEqual
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            }
    }
}
