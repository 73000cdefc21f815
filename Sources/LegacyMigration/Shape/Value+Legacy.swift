import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// A legacy value as one of `type`; nil where it is of another type, or would lose something.
    init?(_ legacy: LegacyValue, as type: ValueType) {
        switch (legacy, type) {
        case (.string(let value), .string): self = .string(value)
        case (.integer(let value), .int): self = .int(Int(value))
        case (.bool(let value), .bool): self = .bool(value)
        case (.double(let value), .double): self = .double(value)
        case (.float(let value), .float): self = .float(value)
        case (.date(let value), .date): self = .date(value)
        case (.data(let value), .data): self = .data(value)
        case (.uuid(let value), .uuid): self = .uuid(value)
        case (.decimal(let value), .decimal): self = .decimal(value)
        case (.reference(let key), .reference): self = .reference(key)
        case (.float(let value), .double): self = .double(Double(value))
        case (.integer(let value), .decimal): self = .decimal(Decimal(value))
        case (.integer(let value), .double):
            guard let number = Double(exactly: value) else { return nil }
            self = .double(number)
        case (.list(let values), .list(let element, let nilElements)):
            guard let values = Self.elements(values, element, nilElements) else { return nil }
            self = .list(values)
        case (.set(let values), .set(let element, let nilElements)),
            (.list(let values), .set(let element, let nilElements)):
            guard let values = Self.elements(values, element, nilElements) else { return nil }
            self = .set(values)
        case (.map(let fields), .map(let element, let nilValues)):
            guard let values = Self.elements(fields.map(\.value), element, nilValues) else {
                return nil
            }
            self = .map(zip(fields, values).map { Entry($0.name, $1) })
        default: return nil
        }
    }

    private static func elements(
        _ values: [LegacyValue],
        _ type: ValueType,
        _ nilElements: Bool
    ) -> [Value]? {
        var elements: [Value] = []
        elements.reserveCapacity(values.count)
        for value in values {
            if case .null = value {
                guard nilElements else { return nil }
                elements.append(.null)
            } else {
                guard let element = Value(value, as: type) else { return nil }
                elements.append(element)
            }
        }
        return elements
    }

    /// What a required attribute holds where nothing is known: zero, false, nothing in it. Nil for a to-one.
    static func nothing(of type: ValueType) -> Value? {
        switch type {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .float: .float(0)
        case .string: .string("")
        case .data: .data(Data())
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .decimal: .decimal(0)
        case .list: .list([])
        case .set: .set([])
        case .map: .map([])
        case .embedded(let fields): .embedded(fields.compactMap(Self.nothing))
        case .reference: nil
        }
    }

    private static func nothing(of field: EmbeddedField) -> Entry? {
        if field.isOptional { return nil }
        return nothing(of: field.type).map { Entry(field.name, $0) }
    }
}
