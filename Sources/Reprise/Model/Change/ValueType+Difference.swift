extension ValueType {
    /// The type with all its parts, for a sentence on how two types differ; `?` marks what may be nil.
    package var detail: String {
        switch self {
        case .list(let element, let hasNils): "[\(element.detail)\(hasNils ? "?" : "")]"
        case .set(let element, let hasNils): "set<\(element.detail)\(hasNils ? "?" : "")>"
        case .map(let element, let hasNils): "map<\(element.detail)\(hasNils ? "?" : "")>"
        case .embedded(let fields): "{\(fields.map(\.detail).joined(separator: ", "))}"
        default: displayName
        }
    }
}

extension EmbeddedField {
    fileprivate var detail: String { "\(name): \(type.detail)\(isOptional ? "?" : "")" }
}
