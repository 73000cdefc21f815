import ExportFormats
import LegacyRecords
import Reprise

/// Finds what becomes of every class and field.
struct MappedPlanMaker {
    private let mapping: RecordMapping
    let schema: SchemaDescription
    private let absent: [String: Set<String>]
    private let held: [String: [String: HeldIdentifiers]]
    let keyFields: [String: String]
    private let milliseconds: [String: Set<String>]
    let order: [String]
    /// Whether records come in that order.
    private let isOrdered: Bool
    let target: SchemaDescription
    let own: OwnSchema?
    /// Whether classes and fields without a rule are told by their names.
    let rules: (any TargetRules)?
    /// Whether a closure changes the records before the rules do.
    var isTransformed = false
    /// Whether the types are told by the values, so that another export may have others.
    private let infersTypes: Bool
    /// Whether values may be of other types than the export's schema says, or another export may say something else.
    var hasFreeTypes: Bool { infersTypes || isTransformed }

    var classes: [String: MappedClass] = [:]
    /// By class, the field that others have a name from.
    var remembered: [String: String] = [:]
    var unmappedClasses: [String] = []
    /// Whether more than columns has no place.
    var losesRecords = false
    /// Whether a text or a number names records by their keys.
    var namesByKeys = false
    var misfits: [(kind: LegacyWarning.Kind, message: String)] = []

    init(
        _ mapping: RecordMapping,
        _ source: some LegacySource,
        _ target: SchemaDescription,
        _ own: OwnSchema?,
        _ rules: (any TargetRules)?
    ) {
        self.mapping = mapping
        schema = source.schema
        absent = source.absentFields
        held = source.heldIdentifiers
        keyFields = source.keyFields
        milliseconds = source.millisecondFields
        order = source.recordOrder.isEmpty ? source.schema.models.map(\.name) : source.recordOrder
        isOrdered = !source.recordOrder.isEmpty
        infersTypes = source.infersTypes
        self.target = target
        self.own = own
        self.rules = rules
    }

    mutating func plan() throws(LegacyError) -> MappedPlan {
        var models: [String: String] = [:]
        for model in schema.models { models[model.name] = try targetModel(of: model) }
        var taken: Set<String> = []
        for name in order {
            guard let model = schema.model(named: name), let there = models[name],
                let target = target.model(named: there)
            else { continue }
            let isFurther = !taken.insert(there).inserted
            classes[name] = try mapped(model, target, models, isFurther: isFurther)
        }
        takeInheritedNames()
        noteUnmappedClasses()
        dropDoubledSides()
        let absent = absentFields()
        if own == nil, rules == nil { noteRequired(absent) }
        var recordOrder: [String] = []
        for name in order {
            guard let model = classes[name]?.model, !recordOrder.contains(model) else { continue }
            recordOrder.append(model)
        }
        return MappedPlan(
            classes: classes,
            schema: target,
            isOwn: own != nil,
            absentFields: absent,
            recordOrder: isOrdered && !namesByKeys ? recordOrder : [],
            heldIdentifiers: heldIdentifiers(),
            remembered: remembered,
            losesRecords: losesRecords,
            droppedClasses: Set(mapping.classes.filter(\.value.isDropped).keys),
            misfits: misfits
        )
    }

    /// The model that a class becomes; nil where it is left out.
    private mutating func targetModel(
        of model: ModelDescription
    ) throws(LegacyError) -> String? {
        let rule = mapping.classes[model.name]
        if rule?.isDropped ?? false { return nil }
        if let own { return own.models[model.name] }
        if let name = rule?.model {
            guard target.model(named: name) != nil else {
                throw unknownTarget("model \"\(name)\"", target.models.map(\.name))
            }
            return name
        }
        let found = rules.map { $0.model(ofClass: model.name) } ?? model.name
        if let found, target.model(named: found) != nil { return found }
        unmappedClasses.append(model.name)
        return nil
    }

    private mutating func mapped(
        _ model: ModelDescription,
        _ there: ModelDescription,
        _ models: [String: String],
        isFurther: Bool
    ) throws(LegacyError) -> MappedClass {
        let rule = mapping.classes[model.name] ?? RecordMapping.ClassRule()
        var mapped = MappedClass(
            className: model.name,
            model: there.name,
            fields: [:],
            lists: [:],
            identifier: rule.identifier,
            isFurther: isFurther
        )
        let links = schema.links(of: model)
        let lists = schema.givenLists(of: model, absent: absent)
        let absent = absent[model.name] ?? []
        let names = try targetNames(model, there, links, lists, models, rule)
        for attribute in model.attributes where !absent.contains(attribute.name) {
            let fieldRule = rule.fields[attribute.name]
            if fieldRule?.isDropped ?? false { continue }
            let link = links.first { $0.isToOne && $0.name == attribute.name }
            if try takeKeys(attribute, names[attribute.name], there, models, fieldRule, &mapped) {
                continue
            }
            guard let name = names[attribute.name],
                let other = there.attribute(named: name),
                attribute.type != .reference
                    || target.links(of: there).contains(where: {
                        $0.isToOne && $0.name == name && $0.target == models[link?.target ?? ""]
                    })
            else {
                // What identifies records is not lost.
                if rule.identifier == .field(attribute.name) { continue }
                if rule.identifier == nil, keyFields[model.name] == attribute.name { continue }
                if fieldRule == nil, takeName(attribute, link?.target, models, &mapped) { continue }
                if attribute.type == .reference { losesRecords = true }
                leaveOut(model.name, attribute.name)
                continue
            }
            let unitNote = rules?.milliseconds(
                attribute.name,
                isSaid: milliseconds[model.name]?.contains(attribute.name) ?? false,
                field: name,
                model: there.name
            )
            if let unitNote { misfits.append((unitNote.kind, unitNote.message)) }
            mapped.fields[attribute.name] = MappedClass.Field(
                name: name,
                type: other.type,
                target: link?.target,
                held: held[model.name]?[attribute.name],
                isTrimmed: fieldRule?.isTrimmed ?? false,
                given: fieldRule?.type,
                separator: fieldRule?.separator,
                defaultValue: fieldRule?.defaultValue,
                isMilliseconds: unitNote != nil,
                bounds: rules?.bounds(of: name, in: there.name)
            )
        }
        for list in lists {
            if rule.fields[list.name]?.isDropped ?? false { continue }
            let wanted = names[list.name]
            guard let wanted,
                let other = target.links(of: there).first(where: {
                    !$0.isToOne && $0.name == wanted && $0.target == models[list.target]
                })
            else {
                losesRecords = true
                leaveOut(model.name, list.name)
                continue
            }
            mapped.lists[list.name] = MappedClass.List(
                name: wanted,
                target: list.target,
                isExclusive: other.memberToOne != nil
            )
        }
        try checkRules(rule, model, mapped)
        return mapped
    }

    /// Whether the export has no values for a field of its schema.
    func isAbsent(_ field: String, _ model: ModelDescription) -> Bool {
        absent[model.name]?.contains(field) ?? false
    }

    mutating func leaveOut(_ model: String, _ name: String) {
        misfits.append(
            (.unmappedProperty, "There is no field for \(model).\(name); it was left out.")
        )
    }

    /// What the fields of a class are called in the target.
    private func targetNames(
        _ model: ModelDescription,
        _ there: ModelDescription,
        _ links: [SchemaLink],
        _ lists: [SchemaLink],
        _ models: [String: String],
        _ rule: RecordMapping.ClassRule
    ) throws(LegacyError) -> [String: String] {
        if let own { return own.fields[model.name] ?? [:] }
        var names: [String: String] = [:]
        let known = Set(there.attributes.map(\.name) + target.links(of: there).map(\.name))
        for (field, rule) in rule.fields {
            guard let name = rule.name else { continue }
            guard known.contains(name) else {
                throw unknownTarget("field \"\(there.name).\(name)\"", known.sorted())
            }
            names[field] = name
        }
        guard Set(names.values).count == names.count else {
            throw LegacyError(
                .malformed,
                "The mapping gives two fields of \(model.name) the same name.",
                advice: "Give each its own."
            )
        }
        let claimed = Set(names.values)
        let all = model.attributes.map(\.name) + lists.map(\.name)
        let free = all.filter { names[$0] == nil && !(rule.fields[$0]?.isDropped ?? false) }
        let properties = free.map { name in
            let link = links.first { $0.name == name }
            let keys = model.attribute(named: name)?.type.keyShape
            return TargetProperty(
                name: name,
                target: link.flatMap { models[$0.target] },
                isCollection: link.map { !$0.isToOne } ?? (keys == .several),
                keyModels: link == nil && keys != nil ? Set(models.values) : []
            )
        }
        if let found = rules?.fields(of: properties, in: there.name) {
            for (place, field) in found where !claimed.contains(field) { names[free[place]] = field }
        } else {
            for name in free where known.contains(name) && !claimed.contains(name) { names[name] = name }
        }
        return names
    }

    /// Where an export has both sides of a relationship, the list is the one with an order: the to-one follows.
    private mutating func dropDoubledSides() {
        for mapped in classes.values {
            guard let there = target.model(named: mapped.model) else { continue }
            for list in mapped.lists.values where list.isExclusive {
                guard
                    let toOne = target.links(of: there).first(where: { $0.name == list.name })?
                        .memberToOne,
                    let members = classes[list.target]
                else { continue }
                let doubled = members.fields.filter { $0.value.name == toOne }.map(\.key)
                for field in doubled {
                    classes[list.target]?.fields[field] = nil
                    misfits.append(
                        (
                            .unmappedProperty,
                            "\(list.target).\(field) follows from the lists of \(mapped.className); where none has a"
                                + " record, it is empty."
                        )
                    )
                }
            }
        }
    }

    /// What no class of a model gives.
    private func absentFields() -> [String: Set<String>] {
        var absent: [String: Set<String>] = [:]
        for model in target.models {
            let classes = classes.values.filter { $0.model == model.name }
            var names = Set(
                model.attributes.map(\.name) + target.links(of: model).map(\.name)
            )
            for mapped in classes {
                names.subtract(mapped.fields.values.map(\.name) + mapped.followed.map(\.name))
                names.subtract(mapped.lists.values.map(\.name))
            }
            absent[model.name] = names
        }
        return absent
    }

    /// Says what the models of a program need and no class gives.
    private mutating func noteRequired(_ absent: [String: Set<String>]) {
        for model in target.models where classes.values.contains(where: { $0.model == model.name }) {
            let unique = Set(model.indexes.filter(\.isUnique).flatMap(\.slots))
            // What must be unique is refused, row by row, and named then.
            for attribute in model.attributes
            where !unique.contains(attribute.slot) && absent[model.name]?.contains(attribute.name) == true
                && !attribute.isOptional && attribute.defaultValue == nil && attribute.type != .reference
            {
                misfits.append(
                    (
                        .requiredUnsaid,
                        "Nothing in the export becomes \(model.name).\(attribute.name), which is required; it is "
                            + "zero, false or empty in new rows."
                    )
                )
            }
        }
    }

    /// The identifiers that records hold after the mapping.
    private func heldIdentifiers() -> [String: [String: HeldIdentifiers]] {
        var found: [String: [String: HeldIdentifiers]] = [:]
        for mapped in classes.values {
            for field in mapped.fields.values {
                switch field.held {
                case .map(let target):
                    guard let model = classes[target]?.model else { continue }
                    found[mapped.model, default: [:]][field.name] = .map(of: model)
                case .text: found[mapped.model, default: [:]][field.name] = .text
                case nil: continue
                }
            }
        }
        return found
    }

    private func unknownTarget(_ what: String, _ names: [String]) -> LegacyError {
        LegacyError(
            .malformed,
            "The mapping names the \(what), which the target has not.",
            advice: "There are: \(names.prefix(40).joined(separator: ", "))."
        )
    }
}
