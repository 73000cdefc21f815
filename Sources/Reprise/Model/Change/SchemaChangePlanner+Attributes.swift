/// Attributes: what stays keeps its slot, what is new or made of others gets one that was never used.
extension SchemaChangePlanner {
    mutating func planAttributes(
        _ model: ModelDescription,
        _ old: ModelDescription,
        _ changed: inout ModelDescription
    ) {
        let matching = NameMatching(
            declared: model.attributes.map(\.names),
            stored: old.attributes.map(\.names)
        )
        var slots: [Int: Int] = [:]
        var origins: Set<Int> = []
        for (place, attribute) in model.attributes.enumerated() {
            let before = matching.places[place].map { old.attributes[$0] }
            if let before, before.type == attribute.type || before.type.grows(into: attribute.type),
                !before.isOptional || attribute.isOptional || attribute.defaultValue != nil
            {
                continue
            }
            if let made = recordedOrigins(of: attribute, in: old) {
                // Of two schemas of one store, the later one says what was made of what.
                slots[attribute.slot] = attribute.slot
                if let before { changed.retire(before) }
                changed.attributes.append(attribute)
                changed.slotCount = max(changed.slotCount, attribute.slot + 1)
                origins.formUnion(attribute.origins)
                if let planned = PlannedConversion(widening: attribute, of: changed) {
                    conversions.append(planned.reading(before: UnconvertedAttributes()))
                }
                steps.append(.convertsAttribute(model: model.name, from: made.map(\.name), to: attribute.name))
                continue
            }
            guard let found = conversion(to: attribute, of: model, in: old) else { continue }
            slots[attribute.slot] = convert(attribute, before, of: model, found, &changed, from: old.slotCount)
            origins.formUnion(found.origins.map(\.slot))
        }
        var gone: [AttributeDescription] = []
        for attribute in matching.gone(of: old.attributes.count).map({ old.attributes[$0] }) {
            if origins.contains(attribute.slot) {
                changed.retire(attribute)
            } else if removals.hasMember(attribute.name, of: model.name) {
                steps.append(.removesAttribute(model: model.name, attribute.name))
                changed.retire(attribute)
            } else {
                gone.append(attribute)
            }
        }
        // Models may have thousands of attributes.
        var places: [Int: Int] = [:]
        for (place, attribute) in changed.attributes.enumerated() { places[attribute.slot] = place }
        var isNew: Set<ValueType> = []
        for (place, attribute) in model.attributes.enumerated() where slots[attribute.slot] == nil {
            if let before = matching.places[place].map({ old.attributes[$0] }) {
                slots[attribute.slot] = before.slot
                guard let place = places[before.slot] else { continue }
                planAttribute(attribute, before, of: model, &changed.attributes[place])
            } else {
                let added = placed(attribute, in: &changed, from: old.slotCount)
                slots[attribute.slot] = added.slot
                isNew.insert(attribute.type)
                addAttribute(added, of: model, instead: gone, &changed)
            }
        }
        mapping.slots[model.number] = slots
        for lost in gone where !isNew.contains(lost.type) {
            refusals.append(
                "The store has \(model.name).\(lost.name), which is not declared. Declare it, or write "
                    + ".removed(\"\(lost.name)\")."
            )
        }
    }

    /// What an attribute of a later schema of the store was made of; nil where it was there before, or of nothing.
    private func recordedOrigins(
        of attribute: AttributeDescription,
        in old: ModelDescription
    ) -> [AttributeDescription]? {
        if attribute.origins.isEmpty || attribute.slot < old.slotCount { return nil }
        let origins = attribute.origins.compactMap { old.attribute(slot: $0) }
        return origins.count == attribute.origins.count ? origins : nil
    }

    /// The declared function that makes an attribute of what a stored model has, and the attributes that it reads.
    private func conversion(
        to attribute: AttributeDescription,
        of model: ModelDescription,
        in old: ModelDescription
    ) -> (conversion: Conversion, origins: [AttributeDescription])? {
        for conversion in declaredConversions[model.number] ?? [] where conversion.attribute == attribute.name {
            if let origins = conversion.origins(among: old.attributes, of: attribute) { return (conversion, origins) }
        }
        return nil
    }

    /// - Returns: the slot of what the function makes.
    private mutating func convert(
        _ attribute: AttributeDescription,
        _ before: AttributeDescription?,
        of model: ModelDescription,
        _ found: (conversion: Conversion, origins: [AttributeDescription]),
        _ changed: inout ModelDescription,
        from firstNew: Int
    ) -> Int {
        var added = placed(attribute, in: &changed, from: firstNew)
        added.origins = found.origins.map(\.slot)
        added.defaultValue = nil
        if let before { changed.retire(before) }
        changed.attributes.append(added)
        conversions.append(
            PlannedConversion(
                added,
                of: changed,
                by: found.conversion,
                among: declaredConversions[model.number] ?? []
            )
        )
        steps.append(
            .convertsAttribute(model: model.name, from: found.origins.map(\.name), to: attribute.name)
        )
        return added.slot
    }

    private mutating func addAttribute(
        _ attribute: AttributeDescription,
        of model: ModelDescription,
        instead gone: [AttributeDescription],
        _ changed: inout ModelDescription
    ) {
        changed.attributes.append(attribute)
        let name = "\(model.name).\(attribute.name)"
        if let lost = gone.first(where: { $0.type == attribute.type }) {
            refusals.append(
                "\(model.name).\(lost.name) is gone and \(name) of the same type is new. If it has another name now, "
                    + "write renamedFrom: \"\(lost.name)\" at \(attribute.name); otherwise write "
                    + ".removed(\"\(lost.name)\")."
            )
        } else if !attribute.isOptional, attribute.defaultValue == nil {
            refusals.append(
                "\(name) is new and required, and older rows have no value for it. Make it optional, or give it a "
                    + "default."
            )
        } else {
            steps.append(.addsAttribute(model: model.name, attribute.name))
        }
    }

    private mutating func planAttribute(
        _ attribute: AttributeDescription,
        _ before: AttributeDescription,
        of model: ModelDescription,
        _ changed: inout AttributeDescription
    ) {
        let name = "\(model.name).\(attribute.name)"
        changed.name = attribute.name
        changed.earlierNames = NameMatching.merged(attribute.names, before.names)
        if attribute.name != before.name {
            steps.append(.renamesAttribute(model: model.name, from: before.name, to: attribute.name))
        }
        if before.type != attribute.type, before.type.grows(into: attribute.type) {
            changed.type = attribute.type
            steps.append(.addsFields(model: model.name, attribute.name))
        } else if before.type != attribute.type {
            refusals.append(
                "\(name) is \(before.type.detail) in the store and \(attribute.type.detail) in the declaration. "
                    + "Declare it as it was, a new attribute under another name, or the function that makes its "
                    + "values: .converting(\"\(attribute.name)\", from: \"\(before.name)\") { … }."
            )
        }
        if before.isOptional == attribute.isOptional { return }
        changed.isOptional = attribute.isOptional
        if !attribute.isOptional {
            steps.append(.makesRequired(model: model.name, attribute.name))
            changed.defaultValue = attribute.defaultValue
            if attribute.defaultValue != nil { newDefaults.insert(before.slot) }
        } else if before.defaultValue == nil {
            steps.append(.makesOptional(model: model.name, attribute.name))
        } else {
            refusals.append(
                "\(name) cannot become optional: older rows have its default and no value of their own. Leave it "
                    + "required."
            )
        }
    }
}

extension ModelDescription {
    /// Gives an attribute up; its slot is never used again.
    fileprivate mutating func retire(_ attribute: AttributeDescription) {
        attributes.removeAll { $0.slot == attribute.slot }
        retiredAttributes.append(attribute)
    }
}

extension ValueType {
    /// Whether every stored value is one of another type as well, because only optional fields are added at the end of
    /// embedded structs.
    fileprivate func grows(into other: ValueType) -> Bool {
        switch (self, other) {
        case (.list(let old, let oldNils), .list(let new, let newNils)),
            (.set(let old, let oldNils), .set(let new, let newNils)),
            (.map(let old, let oldNils), .map(let new, let newNils)):
            return oldNils == newNils && old.grows(into: new)
        case (.embedded(let old), .embedded(let new)):
            guard new.count >= old.count, new[old.count...].allSatisfy(\.isOptional) else { return false }
            return zip(old, new).allSatisfy { old, new in
                old.name == new.name && old.isOptional == new.isOptional && old.type.grows(into: new.type)
            }
        default: return self == other
        }
    }
}
