/// Invents questions about values that are likely to be there.
enum QueryMaker {
    static func query(
        _ schema: AuditSchema,
        _ state: AuditState,
        _ generator: inout SeededGenerator
    ) -> AuditQuery {
        let model = generator.pick(schema.models)
        var query = AuditQuery(model.name)
        if !generator.once(in: 5) {
            query.filter = filter(model, schema, state, &generator, depth: 2)
        }
        for _ in 0..<generator.below(3) {
            let field = field(model, schema, &generator) { $0.hasOrder }
            query.sort.append(.init(field.path, descending: generator.once(in: 2)))
        }
        if generator.once(in: 2) { query.limit = generator.below(12) }
        if generator.once(in: 3) { query.offset = generator.below(8) }
        return query
    }

    private struct Field {
        let path: [String]
        /// Nil for an identifier or a reference.
        let kind: AuditKind?
    }

    /// An attribute, the id, a to-one, or any of these behind a to-one.
    private static func field(
        _ model: AuditModel,
        _ schema: AuditSchema,
        _ generator: inout SeededGenerator,
        where isWanted: (AuditKind) -> Bool
    ) -> Field {
        let toOnes = model.relationships.filter { $0.shape == .toOne }
        if let toOne = generator.pickIfAny(toOnes), generator.once(in: 4) {
            guard let target = schema.model(toOne.target), generator.once(in: 2) else {
                return Field(path: [toOne.name], kind: nil)
            }
            let inner = field(target, schema, &generator, where: isWanted)
            return Field(path: [toOne.name] + inner.path, kind: inner.kind)
        }
        let attributes = model.attributes.filter { isWanted($0.kind) }
        guard let attribute = generator.pickIfAny(attributes), !generator.once(in: 8) else {
            return Field(path: ["id"], kind: nil)
        }
        return Field(path: [attribute.name], kind: attribute.kind)
    }

    private static func filter(
        _ model: AuditModel,
        _ schema: AuditSchema,
        _ state: AuditState,
        _ generator: inout SeededGenerator,
        depth: Int
    ) -> AuditFilter {
        if depth > 0 {
            switch generator.below(6) {
            case 0:
                return .and(
                    (0..<1 + generator.below(3)).map { _ in
                        filter(model, schema, state, &generator, depth: depth - 1)
                    }
                )
            case 1:
                return .or(
                    (0..<1 + generator.below(3)).map { _ in
                        filter(model, schema, state, &generator, depth: depth - 1)
                    }
                )
            case 2: return .not(filter(model, schema, state, &generator, depth: depth - 1))
            default: break
            }
        }
        let field = field(model, schema, &generator) { _ in true }
        if generator.once(in: 8) { return .isNil(field.path) }
        guard let kind = field.kind else {
            return text(field.path, ids(model, state), isIdentifier: true, &generator)
        }
        switch kind {
        case .text:
            let values = values(field, model, schema, state)
            return text(field.path, values, isIdentifier: false, &generator)
        case .list(let element, _), .set(let element):
            guard element.hasOrder else { return .isNil(field.path) }
            return .contains(field.path, generator.datum(element))
        case .map: return .contains(field.path, .text(generator.pick(NastyPool.keys)))
        case .embedded: return .isNil(field.path)
        default: return scalar(field, kind, values(field, model, schema, state), &generator)
        }
    }

    private static func scalar(
        _ field: Field,
        _ kind: AuditKind,
        _ values: [Datum],
        _ generator: inout SeededGenerator
    ) -> AuditFilter {
        if generator.once(in: 6) {
            let wanted = (0..<generator.below(4)).map { _ in value(values, kind, &generator) }
            return .isIn(field.path, wanted)
        }
        let comparison = generator.pick(AuditFilter.Comparison.allCases)
        return .compare(field.path, comparison, value(values, kind, &generator))
    }

    private static func value(
        _ present: [Datum],
        _ kind: AuditKind,
        _ generator: inout SeededGenerator
    ) -> Datum {
        if !generator.once(in: 4), let value = generator.pickIfAny(present) { return value }
        return generator.datum(kind)
    }

    private static func text(
        _ path: [String],
        _ present: [Datum],
        isIdentifier: Bool,
        _ generator: inout SeededGenerator
    ) -> AuditFilter {
        let value = value(present, .text, &generator)
        guard case .text(let text) = value else { return .isNil(path) }
        switch generator.below(isIdentifier ? 3 : 6) {
        case 0, 1:
            return .compare(path, generator.pick(AuditFilter.Comparison.allCases), value)
        case 2: return .isIn(path, [value, Datum.text(generator.pick(NastyPool.texts))])
        case 3: return .startsWith(path, part(text, generator.below(4)))
        case 4: return .endsWith(path, Text(String(text.string.unicodeScalars.suffix(1))))
        default: return .contains(path, Datum.text(part(text, 1 + generator.below(2))))
        }
    }

    /// The first scalars of a text.
    private static func part(_ text: Text, _ count: Int) -> Text {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.string.unicodeScalars.prefix(count == 3 ? 200 : count))
        return Text(String(scalars))
    }

    private static func ids(_ model: AuditModel, _ state: AuditState) -> [Datum] {
        state.ids(model.name).map { .text($0) }
    }

    private static func values(
        _ field: Field,
        _ model: AuditModel,
        _ schema: AuditSchema,
        _ state: AuditState
    ) -> [Datum] {
        state.ids(model.name).compactMap { state.value(Entity(model.name, $0), field.path, schema) }
    }
}
