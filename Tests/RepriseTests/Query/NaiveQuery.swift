import Foundation

@testable import Reprise

/// Answers queries by looking at every record, value by value: shares nothing with the engine but the order of values.
struct NaiveQuery {
    /// All records of a state, by model, in the order of their identifiers.
    let records: [String: [Record]]
    private let byID: [String: [String: Record]]

    init(_ transaction: borrowing some StateReading & ~Copyable) throws {
        var records: [String: [Record]] = [:]
        for model in ["person", "town"] {
            records[model] = try transaction.records(RecordQuery(model: model))
        }
        self.records = records
        byID = records.mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.id, $0) }) }
    }

    func results(_ query: RecordQuery) -> [Record] {
        var found = members(of: query).filter { record in
            query.filter.map { holds($0, record, element: nil) } ?? true
        }
        if query.list == nil || !query.sort.isEmpty { found.sort { precedes($0, $1, query.sort) } }
        if let after = query.after {
            found = found.filter { record in
                order(values: after.values, id: after.id, before: record, query.sort)
            }
        }
        let rest = found.dropFirst(query.offset)
        return Array(rest.prefix(query.limit ?? .max))
    }

    private func members(of query: RecordQuery) -> [Record] {
        guard let wanted = query.list else { return records[query.model] ?? [] }
        return byID[wanted.owner.model]?[wanted.owner.id].flatMap { list([wanted.relationship], $0) } ?? []
    }

    // MARK: Values

    private func target(of name: String, in record: Record) -> Record? {
        guard case .reference(let id) = record[name] else { return nil }
        let model = name == "town" ? "town" : "person"
        return byID[model]?[id]
    }

    func value(_ path: FieldPath, _ record: Record, element: Value?) -> Value {
        guard let last = path.components.last else { return element ?? .null }
        guard let end = end(of: path, from: record) else { return .null }
        if last == "id" { return .string(end.id) }
        let value = end[last]
        // A reference is its target's identifier.
        if case .reference(let id) = value { return .string(id) }
        return value
    }

    private func end(of path: FieldPath, from record: Record) -> Record? {
        var record = record
        for name in path.components.dropLast() {
            guard let next = target(of: name, in: record) else { return nil }
            record = next
        }
        return record
    }

    private func list(_ path: FieldPath, _ record: Record) -> [Record]? {
        guard let name = path.components.last,
            ["friends", "admirers", "people"].contains(name)
        else { return nil }
        guard let owner = end(of: path, from: record) else { return [] }
        if name == "admirers" {
            // The derived side: every person in whose list the owner stands, as often as it does.
            return (records["person"] ?? []).flatMap { person in
                let friends = person.lists.first { $0.name == "friends" }?.targets ?? []
                return friends.filter { $0 == owner.id }.map { _ in person }
            }
        }
        let targets = owner.lists.first { $0.name == name }?.targets ?? []
        return targets.compactMap { byID["person"]?[$0] }
    }

    // MARK: Conditions

    func holds(_ filter: FilterExpression, _ record: Record, element: Value?) -> Bool {
        switch filter {
        case .and(let parts): return parts.allSatisfy { holds($0, record, element: element) }
        case .or(let parts): return parts.contains { holds($0, record, element: element) }
        case .not(let part): return !holds(part, record, element: element)
        case .isNil(let path): return value(path, record, element: element).isNull
        case .compare(let path, let comparison, let constant):
            return compare(value(path, record, element: element), comparison, constant)
        case .compareFields(let left, let comparison, let right):
            let other = value(right, record, element: element)
            return compare(value(left, record, element: element), comparison, other)
        case .isIn(let path, let constants):
            let found = value(path, record, element: element)
            return constants.contains { compare(found, .equal, $0) }
        case .contains(let path, let constant):
            switch value(path, record, element: element) {
            case .string(let text):
                guard case .string(let part) = constant else { return false }
                return contains(Array(text.utf8), Array(part.utf8))
            case .list(let elements), .set(let elements):
                return elements.contains { !$0.isNull && compare($0, .equal, constant) }
            case .map(let entries):
                return entries.contains { compare(.string($0.name), .equal, constant) }
            default: return false
            }
        case .startsWith(let path, let part):
            return text(path, record, element).map { $0.utf8.starts(with: part.utf8) } ?? false
        case .endsWith(let path, let part):
            return text(path, record, element)
                .map { $0.utf8.reversed().starts(with: part.utf8.reversed()) } ?? false
        case .text(let path, let operation, let part, let options):
            guard let text = text(path, record, element) else { return false }
            let (whole, part) = (folded(text, options), folded(part, options))
            switch operation {
            case .equals: return whole == part
            case .contains: return contains(whole, part)
            case .startsWith: return whole.starts(with: part)
            case .endsWith: return whole.reversed().starts(with: part.reversed())
            }
        case .matches: preconditionFailure("Searches have an evaluation of their own.")
        case .count(let path, let comparison, let count):
            let found = list(path, record)?.count ?? elements(path, record, element).count
            return compare(.int(found), comparison, .int(count))
        case .any(let path, let inner):
            if let list = list(path, record) {
                return list.contains { holds(inner, $0, element: nil) }
            }
            return elements(path, record, element).contains { holds(inner, record, element: $0) }
        case .all(let path, let inner):
            if let list = list(path, record) {
                return list.allSatisfy { holds(inner, $0, element: nil) }
            }
            return elements(path, record, element).allSatisfy { holds(inner, record, element: $0) }
        }
    }

    private func elements(_ path: FieldPath, _ record: Record, _ element: Value?) -> [Value] {
        switch value(path, record, element: element) {
        case .list(let elements), .set(let elements): elements
        case .map(let entries): entries.map(\.value)
        default: []
        }
    }

    private func text(_ path: FieldPath, _ record: Record, _ element: Value?) -> String? {
        if case .string(let text) = value(path, record, element: element) { text } else { nil }
    }

    private func compare(_ found: Value, _ comparison: ComparisonOperator, _ constant: Value)
        -> Bool
    {
        if constant.isNull {
            return comparison == .equal
                ? found.isNull : comparison == .notEqual ? !found.isNull : false
        }
        if found.isNull { return comparison == .notEqual }
        let constant = plain(constant)
        let order = Value.compare(widened(found, constant), widened(constant, found))
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }

    /// Numbers of two kinds meet as doubles.
    private func widened(_ value: Value, _ other: Value) -> Value {
        switch (value, other) {
        case (.int(let number), .double), (.int(let number), .float): .double(Double(number))
        case (.float(let number), _): .double(Double(number))
        case (.int(let number), .decimal): .decimal(.init(number))
        default: value
        }
    }

    private func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
        if part.isEmpty { return true }
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
    }

    /// Of the letters that occur in the world of the tests.
    private func folded(_ text: String, _ options: TextOptions) -> [UInt8] {
        var text = text
        if options.contains(.diacriticInsensitive) {
            let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
            text = String(String.UnicodeScalarView(scalars.filter { $0 != "\u{301}" }))
        }
        if options.contains(.caseInsensitive) { text = text.lowercased() }
        return Array(text.utf8)
    }

    // MARK: Order

    private func precedes(_ left: Record, _ right: Record, _ sort: [SortKey]) -> Bool {
        let values = sort.map { value($0.path, left, element: nil) }
        return order(values: values, id: left.id, before: right, sort)
    }

    /// Whether a place comes before a record.
    private func order(values: [Value], id: String, before record: Record, _ sort: [SortKey])
        -> Bool
    {
        for (key, left) in zip(sort, values) {
            let right = value(key.path, record, element: nil)
            if left.isNull && right.isNull { continue }
            if left.isNull != right.isNull {
                let nilFirst = key.nilPlacement.map { $0 == .first } ?? !key.isDescending
                return left.isNull == nilFirst
            }
            let order = Value.compare(widened(plain(left), right), widened(right, plain(left)))
            if order != 0 { return key.isDescending ? order > 0 : order < 0 }
        }
        return id.utf8.lexicographicallyPrecedes(record.id.utf8)
    }

    private func plain(_ value: Value) -> Value {
        if case .reference(let id) = value { .string(id) } else { value }
    }
}
