import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
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
