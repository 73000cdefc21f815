/// How the two sides of a relationship find each other.
extension SchemaBuilder {
    /// Adds the relations whose source is this model.
    mutating func relate(_ source: Int) throws(SchemaError) {
        let declaration = declarations[source]
        for (slot, field) in declaration.stored.enumerated() {
            guard case .toOne(let target, let inverse, let rule) = field.role else { continue }
            let side = ToOne(
                model: source,
                slot: slot,
                field: field,
                target: try find(target, from: declaration, field.name),
                inverse: inverse,
                onDelete: rule
            )
            try relate(side)
        }
        for list in declaration.lists {
            let target = try find(list.target, from: declaration, list.name)
            if list.isDerived {
                try checkDerived(list, of: source, target)
            } else if let inverse = list.inverse {
                try checkList(list, inverse, of: source, target)
            } else if try toOneNaming(list.name, of: source, on: target) == nil {
                try addList(list, of: source, target)
            }
        }
    }

    private struct ToOne {
        let model: Int
        let slot: Int
        let field: Field
        let target: Int
        let inverse: String?
        let onDelete: DeleteRule
    }

    private mutating func relate(_ side: ToOne) throws(SchemaError) {
        let declaration = declarations[side.model]
        let target = declarations[side.target]
        let name = side.field.name
        // Lists of the target that name this attribute, or that it names.
        let lists = target.lists.filter { list in
            !list.isDerived && list.target == declaration.reference
                && (list.inverse == name || (list.inverse == nil && list.name == side.inverse))
        }
        let partners = target.stored.enumerated().filter { slot, field in
            guard case .toOne(let back, let inverse, _) = field.role,
                back == declaration.reference
            else { return false }
            return inverse == name || field.name == side.inverse
        }
        guard lists.count + partners.count <= 1 else {
            throw SchemaError(
                .inverseClaimedTwice,
                model: declaration.name,
                attribute: name,
                message:
                    "Several relationships of \"\(target.name)\" claim it as inverse; keep one."
            )
        }
        if let inverse = side.inverse {
            try checkInverse(inverse, of: side, lists: lists.map(\.name), partners.map(\.element))
        }
        if let (slot, field) = partners.first {
            try addPair(side, slot: slot, field)
            return
        }
        let list = lists.first
        try add(
            .reference(slot: side.slot),
            source: .init(model: number(side.model), name: name, onDelete: side.onDelete),
            target: .init(
                model: number(side.target),
                name: list?.name,
                earlierNames: list?.earlierNames ?? [],
                onDelete: list?.onDelete ?? (side.field.isOptional ? .nullify : .deny)
            )
        )
    }

    private func checkInverse(
        _ inverse: String,
        of side: ToOne,
        lists: [String],
        _ partners: [Field]
    ) throws(SchemaError) {
        let declaration = declarations[side.model]
        if side.target == side.model, inverse == side.field.name {
            throw SchemaError(
                .symmetricRelation,
                model: declaration.name,
                attribute: inverse,
                message: "An attribute cannot be its own inverse; declare a second one."
            )
        }
        if lists.contains(inverse) || partners.contains(where: { $0.name == inverse }) { return }
        throw wrongInverse(inverse, model: declaration, side.field.name, on: side.target)
    }

    private func wrongInverse(
        _ inverse: String,
        model: ModelDeclaration,
        _ name: String,
        on target: Int
    ) -> SchemaError {
        let other = declarations[target]
        let exists =
            other.fields.contains { $0.name == inverse }
            || other.lists.contains { $0.name == inverse }
        return exists
            ? SchemaError(
                .inverseOfWrongType,
                model: model.name,
                attribute: name,
                message:
                    "\"\(other.name).\(inverse)\" does not lead back here; correct the inverse."
            )
            : SchemaError(
                .unknownInverse,
                model: model.name,
                attribute: name,
                message:
                    "\"\(other.name)\" has no relationship \"\(inverse)\"; correct the inverse."
            )
    }

    private mutating func addPair(
        _ side: ToOne,
        slot: Int,
        _ partner: Field
    ) throws(SchemaError) {
        guard case .toOne(_, let inverse, let rule) = partner.role else { return }
        if let inverse, inverse != side.field.name {
            throw wrongInverse(
                partner.name,
                model: declarations[side.model],
                side.field.name,
                on: side.target
            )
        }
        if side.target == side.model, partner.name == side.field.name {
            throw SchemaError(
                .symmetricRelation,
                model: declarations[side.model].name,
                attribute: partner.name,
                message: "An attribute cannot be its own inverse; declare a second one."
            )
        }
        // Both sides come by here; the first in declaration order is the source.
        guard (side.model, side.slot) < (side.target, slot) else { return }
        try add(
            .pair(sourceSlot: side.slot, targetSlot: slot),
            source: .init(
                model: number(side.model),
                name: side.field.name,
                onDelete: side.onDelete
            ),
            target: .init(model: number(side.target), name: partner.name, onDelete: rule)
        )
    }

    /// The to-one on `target` that names the list as its inverse, which then is not many-to-many.
    private func toOneNaming(
        _ list: String,
        of source: Int,
        on target: Int
    ) throws(SchemaError) -> Field? {
        declarations[target].stored.first { field in
            guard case .toOne(let back, let inverse, _) = field.role else { return false }
            return back == declarations[source].reference && inverse == list
        }
    }

    /// A list with an inverse is either the other side of a to-one or of a derived inverse.
    private mutating func checkList(
        _ list: ListDeclaration,
        _ inverse: String,
        of source: Int,
        _ target: Int
    ) throws(SchemaError) {
        let declaration = declarations[source]
        let other = declarations[target]
        if let field = other.stored.first(where: { $0.name == inverse }),
            case .toOne(let back, let theirs, _) = field.role, back == declaration.reference
        {
            // The relation itself was, or will be, added from the to-one.
            guard theirs == nil || theirs == list.name else {
                throw SchemaError(
                    .inverseClaimedTwice,
                    model: declaration.name,
                    attribute: list.name,
                    message:
                        "\"\(other.name).\(inverse)\" already has the inverse \"\(theirs ?? "")\"; keep one."
                )
            }
            return
        }
        let isDerived = other.lists.contains {
            $0.isDerived && $0.name == inverse && $0.inverse == list.name
                && $0.target == declaration.reference
        }
        guard isDerived else {
            throw wrongInverse(inverse, model: declaration, list.name, on: target)
        }
        try addList(list, of: source, target)
    }

    private func checkDerived(
        _ derived: ListDeclaration,
        of model: Int,
        _ owner: Int
    ) throws(SchemaError) {
        let declaration = declarations[model]
        let name = derived.inverse ?? ""
        let list = declarations[owner].lists.first {
            !$0.isDerived && $0.name == name && $0.target == declaration.reference
        }
        let isToOne = try list.map { (list) throws(SchemaError) in
            if try toOneNaming(name, of: owner, on: model) != nil { return true }
            return declaration.stored.contains { $0.name == list.inverse }
        }
        guard isToOne == false else {
            throw wrongInverse(name, model: declaration, derived.name, on: owner)
        }
    }

    private mutating func addList(
        _ list: ListDeclaration,
        of source: Int,
        _ target: Int
    ) throws(SchemaError) {
        let declaration = declarations[source]
        let derived = declarations[target].lists.filter {
            $0.isDerived && $0.inverse == list.name && $0.target == declaration.reference
        }
        guard derived.count <= 1, list.inverse == nil || derived.first?.name == list.inverse else {
            throw SchemaError(
                .inverseClaimedTwice,
                model: declaration.name,
                attribute: list.name,
                message: "Several inverses claim the list; keep one."
            )
        }
        try add(
            .list,
            source: .init(
                model: number(source),
                name: list.name,
                earlierNames: list.earlierNames,
                onDelete: list.onDelete
            ),
            target: .init(
                model: number(target),
                name: derived.first?.name,
                earlierNames: derived.first?.earlierNames ?? [],
                onDelete: derived.first?.onDelete ?? .nullify
            )
        )
    }

    private mutating func add(
        _ kind: RelationDescription.Kind,
        source: RelationDescription.End,
        target: RelationDescription.End
    ) throws(SchemaError) {
        guard let number = UInt16(exactly: relations.count + 1) else {
            throw SchemaError(
                .tooManyAttributes,
                model: "",
                message: "A schema has at most 65535 relationships; remove some."
            )
        }
        relations.append(.init(number: number, kind: kind, source: source, target: target))
    }

    private func number(_ model: Int) -> UInt16 { UInt16(model + 1) }

    func find(
        _ reference: ModelReference,
        from declaration: ModelDeclaration,
        _ name: String
    ) throws(SchemaError) -> Int {
        guard let number = numbers[reference.type] else {
            throw SchemaError(
                .missingModel,
                model: declaration.name,
                attribute: name,
                message: "It refers to \(reference.typeName), which is not in the schema; add it."
            )
        }
        return Int(number) - 1
    }
}
