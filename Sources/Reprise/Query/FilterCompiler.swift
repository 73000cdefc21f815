#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Resolves the names of a query against the schema and brings its values into the form of the rows.
struct FilterCompiler {
    let schema: CompiledSchema
    let model: CompiledModel

    /// How deep a filter may be nested; deeper ones come from an attacker, not from a person.
    static let depthMax = 200

    func compile(_ expression: FilterExpression, depth: Int = 0) throws(StoreError)
        -> CompiledFilter
    {
        guard depth < Self.depthMax else {
            throw StoreError(
                .invalidQuery,
                "The filter is nested deeper than \(Self.depthMax) levels.",
                advice: "Write it flatter."
            )
        }
        switch expression {
        case .and(let parts):
            var compiled: [CompiledFilter] = []
            for part in parts { compiled.append(try compile(part, depth: depth + 1)) }
            return .and(compiled)
        case .or(let parts):
            var compiled: [CompiledFilter] = []
            for part in parts { compiled.append(try compile(part, depth: depth + 1)) }
            return .or(compiled)
        case .not(let part): return .not(try compile(part, depth: depth + 1))
        case .isNil(let path): return .test(try field(path), .isNil)
        case .compare(let path, let comparison, let value):
            let field = try field(path)
            if value.isNull {
                let isNil = CompiledFilter.test(field, .isNil)
                switch comparison {
                case .equal: return isNil
                case .notEqual: return .not(isNil)
                default: return .or([])
                }
            }
            guard field.type.isIndexable || comparison == .equal || comparison == .notEqual else {
                throw StoreError(
                    .invalidQuery,
                    "\(path) is a \(field.type.displayName), which has no order.",
                    advice: "Compare it with == or !=, or ask what it contains."
                )
            }
            return .test(field, .compare(comparison, try operand(value, field.type, path)))
        case .isIn(let path, let values):
            let field = try field(path)
            var operands: [Operand] = []
            for value in values where !value.isNull {
                operands.append(try operand(value, field.type, path))
            }
            let isIn = CompiledFilter.test(field, .isIn(operands))
            return values.contains(where: \.isNull) ? .or([isIn, .test(field, .isNil)]) : isIn
        case .startsWith(let path, let text):
            return .test(try textField(path), .hasPrefix(Array(text.utf8)))
        case .endsWith(let path, let text):
            return .test(try textField(path), .hasSuffix(Array(text.utf8)))
        case .contains(let path, let value): return try contains(path, value)
        }
    }

    private func contains(_ path: FieldPath, _ value: Value) throws(StoreError) -> CompiledFilter {
        let field = try field(path)
        switch field.type {
        case .string, .reference:
            guard case .string(let text) = value else { throw mismatch(path, field.type, value) }
            return .test(field, .containsText(Array(text.utf8)))
        case .list(let element, _), .set(let element, _):
            return .test(field, .containsElement(try operand(value, element, path), element))
        case .map:
            guard case .string(let text) = value else { throw mismatch(path, field.type, value) }
            return .test(field, .containsElement(.bytes(Array(text.utf8)), .string))
        default: throw mismatch(path, field.type, value)
        }
    }

    /// Finds the field at the end of a path.
    func field(_ path: FieldPath) throws(StoreError) -> CompiledField {
        var current = model
        var hops: [(slot: Int, model: UInt16)] = []
        for (index, name) in path.components.enumerated() {
            let isLast = index == path.components.count - 1
            guard let attribute = current.attribute(named: name) else {
                if isLast, name == "id" {
                    return CompiledField(hops: hops, slot: nil, type: .string)
                }
                throw StoreError(
                    .invalidQuery,
                    "\(current.name) has no attribute \"\(name)\" (in \(path)).",
                    advice: "Its attributes are id, "
                        + current.description.attributes.map(\.name).joined(separator: ", ") + "."
                )
            }
            if isLast {
                return CompiledField(hops: hops, slot: attribute.slot, type: attribute.type)
            }
            guard let reference = current.referenceSlots.first(where: { $0.slot == attribute.slot })
            else {
                throw StoreError(
                    .invalidQuery,
                    "\"\(name)\" in \(path) is not a relationship.",
                    advice: "Only to-one relationships can be followed."
                )
            }
            hops.append((attribute.slot, reference.targetModel))
            current = try schema.model(reference.targetModel)
        }
        throw StoreError(
            .invalidQuery,
            "A query names a field with an empty path.",
            advice: "Name an attribute."
        )
    }

    private func textField(_ path: FieldPath) throws(StoreError) -> CompiledField {
        let field = try field(path)
        guard field.type == .string || field.type == .reference else {
            throw mismatch(path, field.type, .string(""))
        }
        return field
    }

    private func operand(_ value: Value, _ type: ValueType, _ path: FieldPath) throws(StoreError)
        -> Operand
    {
        // Floats are compared as doubles, so that a constant between two floats is neither of them.
        if type == .float, case .double(let number) = value { return .double(number) }
        let value = try converted(value, type, path)
        switch value {
        case .int(let number): return .int(number)
        case .double(let number): return .double(number)
        case .float(let number): return .double(Double(number))
        case .date(let date): return .double(date.timeIntervalSinceReferenceDate)
        case .reference(let id): return .bytes(Array(id.utf8))
        case .decimal: return .value(value)
        default: return .bytes(try bytes(value, type, path))
        }
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

    /// The value in the attribute's type, where that loses nothing.
    func converted(_ value: Value, _ type: ValueType, _ path: FieldPath) throws(StoreError) -> Value
    {
        guard let converted = value.converted(to: type) else { throw mismatch(path, type, value) }
        return converted
    }

    private func mismatch(_ path: FieldPath, _ type: ValueType, _ value: Value) -> StoreError {
        StoreError(
            .invalidQuery,
            "\(path) is of type \(type.displayName) and cannot be asked for \(value.kindName).",
            advice: "Use a value of the attribute's type."
        )
    }
}
