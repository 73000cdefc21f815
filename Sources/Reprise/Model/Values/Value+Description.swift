#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Value: CustomStringConvertible {
    /// The value as a person reads it: texts in quotation marks, dates in ISO 8601, of bytes how many there are.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .data(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
        case .date(let value): value.formatted(.iso8601)
        case .uuid(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .set(let values): "{" + values.map(\.description).joined(separator: ", ") + "}"
        case .map(let entries), .embedded(let entries):
            "{" + entries.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
        case .reference(let id): "\"\(id)\""
        }
    }
}
