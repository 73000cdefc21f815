public import Reprise

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension EventRecord {
    /// The event in a line: what happened, to which entity, and what its attributes have then.
    ///
    /// ```
    /// inserted note n title=Monday length=200
    /// updated note n title=nil
    /// deleted note n
    /// linked folder f notes=n
    /// ```
    public var line: String {
        if type == "deleted" { return head }
        return ([head] + changes.map { "\($0.name)=\(Self.text($0.to.isNull && isAboutEntry ? $0.from : $0.to))" })
            .joined(separator: " ")
    }

    /// What happened, and to which entity.
    var head: String {
        ([type] + (entity.map { [$0.model, $0.id] } ?? [])).joined(separator: " ")
    }

    private var isAboutEntry: Bool { type == "unlinked" }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value), .reference(let value): value
        case .uuid(let value): value.uuidString
        case .date(let value): text(value)
        case .data(let value): value.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        case .list(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .set(let values): "[\(values.map(text).sorted().joined(separator: ", "))]"
        case .map(let entries), .embedded(let entries):
            "[\(entries.map { "\($0.name): \(text($0.value))" }.sorted().joined(separator: ", "))]"
        }
    }

    private static func text(_ date: Date) -> String {
        let isWhole = date.timeIntervalSince1970.rounded() == date.timeIntervalSince1970
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole))
    }
}
