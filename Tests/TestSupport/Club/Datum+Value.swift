package import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one place where the auditor's values and the engine's meet.
extension Value {
    package init(_ datum: Datum) {
        switch datum {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .double(let bits): self = .double(Double(bitPattern: bits))
        case .float(let bits): self = .float(Float(bitPattern: bits))
        case .text(let text): self = .string(text.string)
        case .data(let bytes): self = .data(Data(bytes))
        case .date(let bits):
            self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case .uuid(let value): self = .uuid(value)
        case .decimal: self = .decimal(Decimal(datum: datum) ?? .nan)
        case .list(let elements): self = .list(elements.map { Value($0) })
        case .set(let elements): self = .set(elements.map { Value($0) })
        case .map(let entries): self = .map(entries.map { Entry($0.string, Value($1)) })
        case .embedded(let fields): self = .embedded(fields.map { Entry($0, Value($1)) })
        case .reference(let id): self = .reference(id.string)
        }
    }
}

extension Datum {
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int64(value))
        case .double(let value): self = .double(value)
        case .float(let value): self = .float(value)
        case .string(let value): self = .text(Text(value))
        case .data(let value): self = .data(Array(value))
        case .date(let value): self = .date(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): self = .uuid(value)
        case .decimal(let value): self = value.datum
        case .list(let values): self = .list(values.map { Datum($0) })
        case .set(let values):
            let elements = Set(values.map { Datum($0) })
            // An element twice is a fault that a Swift set would hide.
            self = elements.count == values.count ? .set(elements) : .list(values.map { Datum($0) })
        case .map(let entries):
            self = .map([Text: Datum](entries.map { (Text($0.name), Datum($0.value)) }) { $1 })
        case .embedded(let entries):
            let present = entries.filter { !$0.value.isNull }
            self = .embedded([String: Datum](present.map { ($0.name, Datum($0.value)) }) { $1 })
        case .reference(let id): self = .reference(Text(id))
        }
    }
}
