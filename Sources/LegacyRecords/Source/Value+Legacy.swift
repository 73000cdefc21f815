package import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// A legacy value as one of `type`; nil where it is of another type, or would lose something.
    package init?(_ legacy: LegacyValue, as type: ValueType) {
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
}
