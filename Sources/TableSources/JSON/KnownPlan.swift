import ExportFormats
import LegacyRecords
import Reprise

/// The plan of a file whose records have a schema that is known.
enum KnownPlan {
    static func make(
        _ schema: SchemaDescription,
        _ survey: JSONSurvey,
        _ warnings: inout [LegacyWarning]
    ) -> ExportPlan {
        var plan = ExportPlan()
        var places: [UInt16: Int] = [:]
        for model in schema.models {
            places[model.number] = plan.classes.count
            plan.topLevel[model.name] = plan.classes.count
            var next = ClassPlan(className: model.name, key: .property("id"))
            next.model = model.name
            plan.classes.append(next)
        }
        for model in schema.models {
            guard let place = places[model.number] else { continue }
            let members = LineMembers(of: model, in: schema)
            let found = survey.classes[model.name]
            /// A second member `model`, which earlier exports wrote, is the attribute all the same.
            func property(_ name: String) -> String {
                found?.index[name] == nil ? members.member(name) : name
            }
            plan.classes[place].append(column("id", as: "id", .none))
            for attribute in model.attributes {
                let shape = shape(of: attribute, model, schema, places)
                guard let shape else {
                    let name = "\(model.name).\(attribute.name)"
                    let message =
                        "\(name) holds structs, which are not read from text; it was left out."
                    warnings.append(LegacyWarning(kind: .unmappedProperty, message: message))
                    continue
                }
                plan.classes[place]
                    .append(
                        column(
                            property(attribute.name),
                            as: attribute.name,
                            shape,
                            attribute.type,
                            isOptional: attribute.isOptional
                        )
                    )
            }
            for relation in schema.relations where relation.source.model == model.number {
                guard case .list = relation.kind, let name = relation.source.name,
                    let target = places[relation.target.model]
                else { continue }
                plan.classes[place]
                    .append(column(property(name), as: name, .references(target)))
                plan.classes[place].hasLists = true
            }
        }
        for name in survey.order where plan.topLevel[name] == nil {
            plan.topLevel[name] = plan.classes.count
            var next = ClassPlan(className: name, key: .position)
            next.isSkipped = true
            plan.classes.append(next)
            let message = "The schema has no model \(name); its objects were left out."
            warnings.append(LegacyWarning(kind: .unmappedClass, message: message))
        }
        warnOfProperties(plan, schema, survey, &warnings)
        return plan
    }

    private static func warnOfProperties(
        _ plan: ExportPlan,
        _ schema: SchemaDescription,
        _ survey: JSONSurvey,
        _ warnings: inout [LegacyWarning]
    ) {
        for model in schema.models {
            guard let place = plan.topLevel[model.name] else { continue }
            let members = LineMembers(of: model, in: schema)
            let inverses = schema.relations
                .flatMap { relation -> [RelationDescription.End] in
                    if case .pair = relation.kind { return [] }
                    return [relation.target]
                }
            for property in survey.classes[model.name]?.properties ?? []
            where plan.classes[place].places[property.name] == nil {
                let isInverse = inverses.contains {
                    $0.model == model.number && $0.name.map(members.member) == property.name
                }
                let kind: LegacyWarning.Kind = isInverse ? .lossyFormat : .unmappedProperty
                let message =
                    isInverse
                    ? "The order of \(model.name).\(property.name) is that of the records that point to it."
                    : "The schema has no \(model.name).\(property.name); it was left out."
                warnings.append(LegacyWarning(kind: kind, message: message))
            }
        }
    }

    private static func column(
        _ property: String,
        as name: String,
        _ shape: ClassPlan.Shape,
        _ type: ValueType = .string,
        isOptional: Bool = true
    ) -> ClassPlan.Column {
        let hasNil =
            switch type {
            case .list(_, let hasNil), .set(_, let hasNil), .map(_, let hasNil): hasNil
            default: false
            }
        return ClassPlan.Column(
            property: property,
            name: name,
            shape: shape,
            isOptional: isOptional,
            hasNilElements: hasNil,
            isIndexed: false
        )
    }

    private static func shape(
        of attribute: AttributeDescription,
        _ model: ModelDescription,
        _ schema: SchemaDescription,
        _ places: [UInt16: Int]
    ) -> ClassPlan.Shape? {
        switch attribute.type {
        case .reference:
            for relation in schema.relations {
                switch relation.kind {
                case .reference(attribute.slot) where relation.source.model == model.number,
                    .pair(attribute.slot, _) where relation.source.model == model.number:
                    return places[relation.target.model].map { .reference($0) }
                case .pair(_, attribute.slot) where relation.target.model == model.number:
                    return places[relation.source.model].map { .reference($0) }
                default: continue
                }
            }
            return nil
        case .list(let element, _): return ScalarType(element).map { .list($0) }
        case .set(let element, _): return ScalarType(element).map { .set($0) }
        case .map(let value, _): return ScalarType(value).map { .map($0) }
        default: return ScalarType(attribute.type).map { .scalar($0) }
        }
    }
}

extension ScalarType {
    /// The type of a stored attribute; nil for collections, structs and references.
    init?(_ type: ValueType) {
        switch type {
        case .bool: self = .bool
        case .int: self = .int
        case .double: self = .double
        case .float: self = .float
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .uuid: self = .uuid
        case .decimal: self = .decimal
        case .list, .set, .map, .embedded, .reference: return nil
        }
    }
}
