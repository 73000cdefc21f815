/// A question about the rows of one model.
package struct AuditQuery: Sendable, CustomStringConvertible {
    package struct Sort: Sendable, CustomStringConvertible {
        package let path: [String]
        package let isDescending: Bool

        package init(_ path: [String], descending: Bool) {
            self.path = path
            isDescending = descending
        }

        package var description: String {
            path.joined(separator: ".") + (isDescending ? "↓" : "↑")
        }
    }

    package var model: String
    package var filter: AuditFilter?
    package var sort: [Sort] = []
    package var limit: Int?
    package var offset = 0

    package init(_ model: String) {
        self.model = model
    }

    package var description: String {
        "\(model) where \(filter.map { "\($0)" } ?? "true") by \(sort)"
            + " limit \(limit.map { "\($0)" } ?? "-") offset \(offset)"
    }
}

package indirect enum AuditFilter: Sendable {
    package enum Comparison: String, Sendable, CaseIterable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    }

    case compare([String], Comparison, Datum)
    case isIn([String], [Datum])
    case contains([String], Datum)
    case startsWith([String], Text)
    case endsWith([String], Text)
    case isNil([String])
    case not(AuditFilter)
    case and([AuditFilter])
    case or([AuditFilter])
}

extension AuditFilter: CustomStringConvertible {
    package var description: String {
        switch self {
        case .compare(let path, let comparison, let value):
            "\(path.joined(separator: ".")) \(comparison) \(value)"
        case .isIn(let path, let values): "\(path.joined(separator: ".")) in \(values)"
        case .contains(let path, let value): "\(path.joined(separator: ".")) contains \(value)"
        case .startsWith(let path, let text): "\(path.joined(separator: ".")) starts \(text)"
        case .endsWith(let path, let text): "\(path.joined(separator: ".")) ends \(text)"
        case .isNil(let path): "\(path.joined(separator: ".")) is nil"
        case .not(let filter): "!(\(filter))"
        case .and(let filters): "(\(filters.map(\.description).joined(separator: " && ")))"
        case .or(let filters): "(\(filters.map(\.description).joined(separator: " || ")))"
        }
    }
}

// MARK: - Answering

extension AuditState {
    /// The ids in order: filter every row, sort, cut. Equal rows stay in the order of their ids.
    package func answer(_ query: AuditQuery, _ schema: AuditSchema) -> [Text] {
        var found = matches(query, schema)
        if !query.sort.isEmpty {
            let keys = Dictionary(
                uniqueKeysWithValues: found.map { id in
                    (id, query.sort.map { value(Entity(query.model, id), $0.path, schema) })
                }
            )
            found.sort { left, right in
                for (index, sort) in query.sort.enumerated() {
                    let order = Datum.order(keys[left]?[index], keys[right]?[index])
                    if order != 0 { return sort.isDescending ? order > 0 : order < 0 }
                }
                return left < right
            }
        }
        return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
    }

    /// The ids of all rows that the filter lets through, in the order of their bytes.
    package func matches(_ query: AuditQuery, _ schema: AuditSchema) -> [Text] {
        ids(query.model).filter { id in
            query.filter.map { isTrue($0, Entity(query.model, id), schema) } ?? true
        }
    }

    /// What a path leads to: the id, an attribute, a to-one's target, or on through it.
    package func value(_ entity: Entity, _ path: [String], _ schema: AuditSchema) -> Datum? {
        guard let row = self[entity], let first = path.first else { return nil }
        if path.count == 1 {
            if first == "id" { return .text(entity.id) }
            if case .reference(let id)? = row.values[first] { return .text(id) }
            return row.values[first]
        }
        guard let id = reference(entity, first),
            let relationship = schema.relationship(entity.model, first)
        else { return nil }
        return value(Entity(relationship.target, id), Array(path.dropFirst()), schema)
    }

    private func isTrue(_ filter: AuditFilter, _ entity: Entity, _ schema: AuditSchema) -> Bool {
        switch filter {
        case .compare(let path, let comparison, let wanted):
            guard let value = value(entity, path, schema) else { return comparison == .notEqual }
            return comparison.holds(Datum.order(value, wanted))
        case .isIn(let path, let wanted):
            guard let value = value(entity, path, schema) else { return false }
            return wanted.contains { Datum.order(value, $0) == 0 }
        case .contains(let path, let wanted):
            return value(entity, path, schema)?.contains(wanted) ?? false
        case .startsWith(let path, let start):
            guard case .text(let text)? = value(entity, path, schema) else { return false }
            return text.bytes.starts(with: start.bytes)
        case .endsWith(let path, let end):
            guard case .text(let text)? = value(entity, path, schema) else { return false }
            return text.bytes.reversed().starts(with: end.bytes.reversed())
        case .isNil(let path):
            return value(entity, path, schema) == nil
        case .not(let inner):
            return !isTrue(inner, entity, schema)
        case .and(let filters):
            return filters.allSatisfy { isTrue($0, entity, schema) }
        case .or(let filters):
            return filters.contains { isTrue($0, entity, schema) }
        }
    }
}

extension AuditFilter.Comparison {
    fileprivate func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}

extension Datum {
    /// Text contains a part, a list or a set an element, a map a key.
    fileprivate func contains(_ wanted: Datum) -> Bool {
        switch (self, wanted) {
        case (.text(let text), .text(let part)):
            guard text.bytes.count >= part.bytes.count else { return false }
            return (0...text.bytes.count - part.bytes.count).contains {
                text.bytes[$0...].starts(with: part.bytes)
            }
        case (.list(let elements), _): return elements.contains { Datum.order($0, wanted) == 0 }
        case (.set(let elements), _): return elements.contains { Datum.order($0, wanted) == 0 }
        case (.map(let entries), .text(let key)): return entries[key] != nil
        default: return false
        }
    }
}
