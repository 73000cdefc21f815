#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Value {
    /// This value in another type where no information is lost; nil where it would be (QRY-12).
    func converted(to type: ValueType) -> Value? {
        switch (self, type) {
        case (.null, _): return .null
        case (.bool, .bool), (.int, .int), (.double, .double), (.float, .float), (.string, .string),
            (.data, .data), (.date, .date), (.uuid, .uuid), (.decimal, .decimal),
            (.reference, .reference):
            return self
        case (.int(let number), .double):
            return Double(exactly: number).map { .double($0) }
        case (.int(let number), .float):
            return Float(exactly: number).map { .float($0) }
        case (.int(let number), .decimal): return .decimal(Decimal(number))
        case (.double(let number), .int): return Int(exactly: number).map { .int($0) }
        case (.double(let number), .float): return .float(Float(number))
        case (.float(let number), .double): return .double(Double(number))
        case (.string(let id), .reference): return .reference(id)
        case (.reference(let id), .string): return .string(id)
        case (.list, .list), (.set, .set), (.map, .map), (.embedded, .embedded): return self
        default: return nil
        }
    }

    /// What kind of value this is, for messages.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .bool: "a truth value"
        case .int: "an integer"
        case .double, .float: "a number"
        case .string: "text"
        case .data: "data"
        case .date: "a date"
        case .uuid: "a UUID"
        case .decimal: "a decimal"
        case .list: "a list"
        case .set: "a set"
        case .map: "a map"
        case .embedded: "an embedded value"
        case .reference: "a reference"
        }
    }
}

extension ValueType {
    /// The type's name, for messages and tools.
    public var displayName: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .uuid: "uuid"
        case .decimal: "decimal"
        case .list(let element, _): "list of \(element.displayName)"
        case .set(let element, _): "set of \(element.displayName)"
        case .map(let value, _): "map of \(value.displayName)"
        case .embedded: "embedded"
        case .reference: "reference"
        }
    }
}
