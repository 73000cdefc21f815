#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Resolves the names of a query against the schema and brings its values into the form of the rows.
struct FilterCompiler {
    /// What paths begin at.
    enum Scope {
        case row(CompiledModel)
        /// An element of a list or set, or a value of a map.
        case element(ValueType)
    }

    let schema: CompiledSchema
    let scope: Scope
    /// Attributes that no row of a state of the past has, because functions have made them later.
    private let unconverted: UnconvertedAttributes
    /// For conditions within a condition on a list; nil outside of one.
    private let answers: ListAnswers?

    /// How deep a filter may be nested; deeper ones come from an attacker, not from a person.
    static let depthMax = 200

    init(schema: CompiledSchema, model: CompiledModel, unconverted: UnconvertedAttributes = UnconvertedAttributes()) {
        self.schema = schema
        self.unconverted = unconverted
        scope = .row(model)
        answers = nil
    }

    private init(
        schema: CompiledSchema,
        scope: Scope,
        _ unconverted: UnconvertedAttributes,
        _ answers: ListAnswers?
    ) {
        self.schema = schema
        self.unconverted = unconverted
        self.scope = scope
        self.answers = answers
    }

    func compile(_ expression: FilterExpression, depth: Int = 0) throws(StoreError) -> FilterNode {
        guard depth < Self.depthMax else {
            throw StoreError(
                .invalidQuery,
                "The filter is nested deeper than \(Self.depthMax) levels.",
                advice: "Write it flatter."
            )
        }
        switch expression {
        case .and(let parts): return ConjunctionNode(try compile(parts, depth))
        case .or(let parts): return DisjunctionNode(try compile(parts, depth))
        case .not(let part): return NegationNode(try compile(part, depth: depth + 1))
        case .isNil(let path): return NilNode(try field(path))
        case .compare(let path, let comparison, let value):
            return try compare(try field(path), comparison, value, path)
        case .compareFields(let left, let comparison, let right):
            return try compare(left, comparison, right)
        case .isIn(let path, let values): return try isIn(path, values)
        case .startsWith(let path, let text):
            return TextNode(try textField(path), .startsWith, Array(text.utf8))
        case .endsWith(let path, let text):
            return TextNode(try textField(path), .endsWith, Array(text.utf8))
        case .text(let path, let operation, let text, let options):
            let field = try textField(path)
            if options.isEmpty { return TextNode(field, operation, Array(text.utf8)) }
            return FoldedTextNode(field, operation, text, options)
        case .contains(let path, let value): return try contains(path, value)
        case .matches(let path, let text): return SearchNode(try search(text, path))
        case .count(let path, let comparison, let count):
            switch try collection(path) {
            case .relation(let relation): return EntryCountNode(relation, comparison, count)
            case .elements(let field, _, _): return ElementCountNode(field, comparison, count)
            }
        case .any(let path, let condition):
            return try elements(path, condition, all: false, depth)
        case .all(let path, let condition):
            return try elements(path, condition, all: true, depth)
        }
    }

    private func compile(_ parts: [FilterExpression], _ depth: Int) throws(StoreError)
        -> [FilterNode]
    {
        var compiled: [FilterNode] = []
        for part in parts { compiled.append(try compile(part, depth: depth + 1)) }
        return compiled
    }
}

// MARK: - Conditions

extension FilterCompiler {
    private func compare(
        _ field: CompiledField,
        _ comparison: ComparisonOperator,
        _ value: Value,
        _ path: FieldPath
    ) throws(StoreError) -> FilterNode {
        if value.isNull {
            switch comparison {
            case .equal: return NilNode(field)
            case .notEqual: return NegationNode(NilNode(field))
            default: return DisjunctionNode([])
            }
        }
        guard field.type.isIndexable || comparison == .equal || comparison == .notEqual else {
            throw unordered(path, field.type)
        }
        // Floats are compared as doubles, so that a constant between two floats is neither of them.
        if field.type == .float, case .double(let number) = value {
            return DoubleComparisonNode(field, comparison, number)
        }
        let value = try converted(value, field.type, path)
        switch value {
        case .int(let number): return IntComparisonNode(field, comparison, number)
        case .double(let number): return DoubleComparisonNode(field, comparison, number)
        case .float(let number): return DoubleComparisonNode(field, comparison, Double(number))
        case .date(let date):
            return DoubleComparisonNode(field, comparison, date.timeIntervalSinceReferenceDate)
        case .reference(let id): return BytesComparisonNode(field, comparison, Array(id.utf8))
        case .decimal: return ValueComparisonNode(field, comparison, value)
        default:
            return BytesComparisonNode(field, comparison, try bytes(value, field.type, path))
        }
    }

    func unordered(_ path: FieldPath, _ type: ValueType) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(path) is a \(type.displayName), which has no order.",
            advice: "Compare it with == or !=, or ask what it contains."
        )
    }

    private func isIn(_ path: FieldPath, _ values: [Value]) throws(StoreError) -> FilterNode {
        let field = try field(path)
        var constants: [[UInt8]] = []
        var others: [FilterNode] = []
        for value in values {
            if value.isNull {
                others.append(NilNode(field))
            } else if field.type == .float, case .double = value {
                others.append(try compare(field, .equal, value, path))
            } else if case .string(let id) = value, field.type == .reference {
                constants.append(Array(id.utf8))
            } else if case .reference(let id) = value, field.type == .reference {
                constants.append(Array(id.utf8))
            } else {
                constants.append(
                    try bytes(try converted(value, field.type, path), field.type, path)
                )
            }
        }
        let isMember = MembershipNode(field, constants)
        return others.isEmpty ? isMember : DisjunctionNode([isMember] + others)
    }

    private func contains(_ path: FieldPath, _ value: Value) throws(StoreError) -> FilterNode {
        let field = try field(path)
        switch field.type {
        case .string, .reference:
            guard case .string(let text) = value else { throw mismatch(path, field.type, value) }
            return TextNode(field, .contains, Array(text.utf8))
        case .list(let type, _), .set(let type, _):
            // An element that is nil equals nothing (QRY-14), not even nil.
            guard !value.isNull else { throw mismatch(path, type, value) }
            let element = CompiledField(hops: [], source: .element, type: type)
            let isEqual = try compare(element, .equal, value, path)
            return ElementsNode(field, isMap: false, isEqual, all: false)
        case .map:
            guard case .string(let text) = value else { throw mismatch(path, field.type, value) }
            return MapKeyNode(field, Array(text.utf8))
        default: throw mismatch(path, field.type, value)
        }
    }

    /// A search, which looks at one row of its own: not at what a relationship leads to.
    func search(_ text: String, _ path: FieldPath?) throws(StoreError) -> SearchCondition {
        guard case .row(let model) = scope, path.map({ $0.components.count == 1 }) ?? true else {
            throw StoreError(
                .invalidQuery,
                "A search looks at the attributes of a model, not at \(path?.description ?? "an element").",
                advice: "Search in an attribute, inside any or all where it is a relationship's."
            )
        }
        return try SearchCondition(text, attribute: path?.components[0], of: model)
    }

    private func elements(
        _ path: FieldPath,
        _ condition: FilterExpression,
        all: Bool,
        _ depth: Int
    ) throws(StoreError) -> FilterNode {
        switch try collection(path) {
        case .relation(let relation):
            let inner = FilterCompiler(
                schema: schema,
                scope: .row(relation.target),
                unconverted,
                answers ?? ListAnswers()
            )
            return RelationNode(
                relation,
                try inner.compile(condition, depth: depth + 1),
                all: all,
                answers
            )
        case .elements(let field, let type, let isMap):
            let inner = FilterCompiler(schema: schema, scope: .element(type), unconverted, answers)
            return ElementsNode(
                field,
                isMap: isMap,
                try inner.compile(condition, depth: depth + 1),
                all: all
            )
        }
    }
}

// MARK: - Names

extension FilterCompiler {
    /// Something with elements.
    enum Collection {
        case relation(CompiledRelation)
        case elements(CompiledField, of: ValueType, isMap: Bool)
    }

    /// Finds the field at the end of a path.
    func field(_ path: FieldPath) throws(StoreError) -> CompiledField {
        guard let name = path.components.last else {
            if case .element(let type) = scope {
                return CompiledField(hops: [], source: .element, type: type)
            }
            throw StoreError(
                .invalidQuery,
                "A query names a field with an empty path.",
                advice: "Name an attribute."
            )
        }
        let (model, hops) = try follow(path)
        guard let attribute = model.attribute(named: name) else {
            if name == "id" { return CompiledField(hops: hops, source: .identifier, type: .string) }
            throw unknown(name, of: model, path)
        }
        if unconverted.contains(ConvertedSlot(model: model.number, slot: attribute.slot)) {
            throw StoreError(
                .invalidQuery,
                "\(path) was made by a function after the state that is read, so that no row has it.",
                advice: "Fetch without it and look at the results, or read under the schema of then."
            )
        }
        return CompiledField(hops: hops, source: .slot(attribute.slot), type: attribute.type)
    }

    /// Finds the list, set, map or to-many relationship at the end of a path.
    func collection(_ path: FieldPath) throws(StoreError) -> Collection {
        if let name = path.components.last, case .row = scope {
            let (model, hops) = try follow(path)
            if model.attribute(named: name) == nil,
                let end = model.ends.first(where: { $0.own.name == name && $0.isToMany })
            {
                return .relation(
                    CompiledRelation(
                        hops: hops,
                        end: end,
                        target: try schema.model(end.other.model)
                    )
                )
            }
        }
        let field = try field(path)
        switch field.type {
        case .list(let type, _), .set(let type, _):
            return .elements(field, of: type, isMap: false)
        case .map(let type, _): return .elements(field, of: type, isMap: true)
        default:
            throw StoreError(
                .invalidQuery,
                "\(path) is a \(field.type.displayName), which has no elements.",
                advice: "Ask for elements of a list, a set, a map or a to-many relationship."
            )
        }
    }

    /// Follows all but the last component of a path.
    private func follow(
        _ path: FieldPath
    ) throws(StoreError) -> (model: CompiledModel, hops: [CompiledField.Hop]) {
        guard case .row(var current) = scope else {
            throw StoreError(
                .invalidQuery,
                "\(path) is asked of an element, which has no attributes.",
                advice: "In a condition on elements, ask for the element itself."
            )
        }
        var hops: [CompiledField.Hop] = []
        for name in path.components.dropLast() {
            guard let attribute = current.attribute(named: name) else {
                throw unknown(name, of: current, path)
            }
            guard let reference = current.referenceSlots.first(where: { $0.slot == attribute.slot })
            else {
                throw StoreError(
                    .invalidQuery,
                    "\"\(name)\" in \(path) is not a to-one relationship.",
                    advice:
                        "Only to-one relationships can be followed; ask a to-many for any, all or count."
                )
            }
            current = try schema.model(reference.targetModel)
            hops.append(.init(slot: attribute.slot, model: current))
        }
        return (current, hops)
    }

    private func unknown(_ name: String, of model: CompiledModel, _ path: FieldPath) -> StoreError {
        let names = ["id"] + model.description.attributes.map(\.name)
        let lists = model.ends.filter(\.isToMany).compactMap(\.own.name)
        if lists.contains(name) {
            return StoreError(
                .invalidQuery,
                "\"\(name)\" in \(path) is a to-many relationship and has no value of its own.",
                advice: "Ask it for any, all or count."
            )
        }
        return StoreError(
            .invalidQuery,
            "\(model.name) has no attribute \"\(name)\" (in \(path)).",
            advice: "It has \((names + lists).joined(separator: ", "))."
        )
    }

    private func textField(_ path: FieldPath) throws(StoreError) -> CompiledField {
        let field = try field(path)
        guard field.type == .string || field.type == .reference else {
            throw mismatch(path, field.type, .string(""))
        }
        return field
    }
}

// MARK: - Values

extension FilterCompiler {
    /// The value in the attribute's type, where that loses nothing.
    func converted(_ value: Value, _ type: ValueType, _ path: FieldPath) throws(StoreError) -> Value
    {
        guard let converted = value.converted(to: type) else { throw mismatch(path, type, value) }
        return converted
    }

    private func bytes(_ value: Value, _ type: ValueType, _ path: FieldPath) throws(StoreError)
        -> [UInt8]
    {
        var writer = RowPayloadWriter(capacity: 64)
        do {
            try value.write(to: &writer, as: type)
        } catch {
            throw mismatch(path, type, value)
        }
        return unsafe [UInt8](writer.bytes)
    }

    private func mismatch(_ path: FieldPath, _ type: ValueType, _ value: Value) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(path) is of type \(type.displayName) and cannot be asked for \(value.kindName).",
            advice: "Use a value of the attribute's type."
        )
    }
}

extension RelationEnd {
    /// Whether what stands at the other end is a list.
    var isToMany: Bool {
        switch (relation.kind, side) {
        case (.reference, .target), (.list, _): true
        case (.reference, .source), (.pair, _): false
        }
    }
}
