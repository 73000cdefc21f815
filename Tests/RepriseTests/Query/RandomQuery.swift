import Foundation
import TestSupport

@testable import Reprise

/// Makes queries by chance: every operator over every kind of field.
struct RandomQuery {
    var world: QueryWorld

    mutating func below(_ bound: Int) -> Int { world.random.below(bound) }

    // MARK: Filters

    mutating func filter(depth: Int = 0, element: ValueType? = nil) -> FilterExpression {
        if depth < 3, below(3) == 0 {
            let parts = (0..<(1 + below(3))).map { _ in filter(depth: depth + 1, element: element) }
            switch below(3) {
            case 0: return .not(parts[0])
            case 1: return .or(parts)
            default: return .and(parts)
            }
        }
        if let element { return leaf(.element, element) }
        switch below(14) {
        case 12: return member()
        case 13: return .any([world.random.pick(["friends", "admirers"])], person(["id"]))
        case 0: return many(["friends"], depth)
        case 1: return many(["admirers"], depth)
        case 2: return many(["town", "people"], depth)
        case 3: return many(["parent", "friends"], depth)
        case 4: return collection(["tags"], .string, depth)
        case 5: return collection(["scores"], .int, depth)
        case 6: return collection(["words"], .int, depth)
        case 7:
            switch below(3) {
            case 0: return .contains(["tags"], .string(world.text(1)))
            case 1: return .contains(["scores"], .int(below(5)))
            default: return .contains(["words"], .string(world.text(1)))
            }
        default:
            let (path, type) = field()
            return leaf(path, type)
        }
    }

    private mutating func many(_ path: FieldPath, _ depth: Int) -> FilterExpression {
        switch below(3) {
        case 0: return .count(path, comparison(), below(4) - 1)
        case 1: return .any(path, filter(depth: depth + 2))
        default: return .all(path, filter(depth: depth + 2))
        }
    }

    /// A condition that says which row a to-one leads to.
    private mutating func member() -> FilterExpression {
        switch below(4) {
        case 0: .compare(["town"], .equal, .reference("t\(below(7))"))
        case 1: .isIn(["town"], (0..<below(4)).map { _ in .string("t\(below(7))") })
        case 2: .or([.compare(["town", "id"], .equal, .string("t\(below(7))")), person(["parent"])])
        default: person(["parent"])
        }
    }

    private mutating func person(_ path: FieldPath) -> FilterExpression {
        let people = (0..<(1 + below(3))).map { _ in Value.string("p\(below(270))") }
        return below(2) == 0 ? .isIn(path, people) : .compare(path, .equal, people[0])
    }

    private mutating func collection(
        _ path: FieldPath,
        _ type: ValueType,
        _ depth: Int
    ) -> FilterExpression {
        switch below(3) {
        case 0: return .count(path, comparison(), below(4))
        case 1: return .any(path, filter(depth: depth + 2, element: type))
        default: return .all(path, filter(depth: depth + 2, element: type))
        }
    }

    mutating func field() -> (FieldPath, ValueType) {
        switch below(16) {
        case 0: (["id"], .string)
        case 1: (["town", "title"], .string)
        case 2: (["town"], .reference)
        case 3: (["parent", "age"], .int)
        case 4: (["parent", "parent", "name"], .string)
        case 5: (["born"], .date)
        case 6: (["token"], .uuid)
        case 7: (["wealth"], .decimal)
        case 8: (["height"], .float)
        case 9: (["weight"], .double)
        case 10: (["isActive"], .bool)
        case 11, 12: (["age"], .int)
        case 13: (["nickname"], .string)
        default: (["name"], .string)
        }
    }

    private mutating func comparison() -> ComparisonOperator {
        world.random.pick(ComparisonOperator.allCases)
    }

    private mutating func constant(_ type: ValueType) -> Value {
        switch type {
        case .bool: .bool(below(2) == 0)
        case .int: .int(below(13) - 3)
        case .double: below(3) == 0 ? .int(below(5) - 2) : .double(world.double())
        // Between two floats, too.
        case .float: below(3) == 0 ? .double(0.1) : .double(world.double())
        case .decimal: .decimal(Decimal(below(60) - 30) / 8)
        case .date: .date(.init(timeIntervalSinceReferenceDate: world.double()))
        case .uuid:
            .uuid(.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(below(6)))))
        case .reference: .string("t\(below(6))")
        default: .string(world.text(2))
        }
    }

    private mutating func leaf(_ path: FieldPath, _ type: ValueType) -> FilterExpression {
        let isText = type == .string
        switch below(isText ? 10 : 5) {
        case 0: return .isNil(path)
        case 1:
            return .isIn(path, (0..<below(4)).map { _ in below(6) == 0 ? .null : constant(type) })
        case 2 where type != .bool:
            return .and([
                .compare(path, .greaterOrEqual, constant(type)),
                .compare(path, below(2) == 0 ? .less : .lessOrEqual, constant(type)),
            ])
        case 5: return .startsWith(path, world.text(2))
        case 6: return .endsWith(path, world.text(1))
        case 7: return .contains(path, .string(world.text(1)))
        case 8, 9:
            return .text(
                path,
                world.random.pick(TextOperator.allCases),
                world.text(2),
                TextOptions(rawValue: UInt8(1 + below(3)))
            )
        default:
            let others = (0..<8).map { _ in field() }.filter { $0.1 == type }
            if let other = others.first, !path.components.isEmpty, below(3) == 0 {
                return .compareFields(path, comparison(), other.0)
            }
            return .compare(path, comparison(), below(12) == 0 ? .null : constant(type))
        }
    }

    // MARK: Queries

    mutating func query() -> RecordQuery {
        var query = RecordQuery(model: "person")
        if below(5) == 0 {
            let owner = below(2) == 0
                ? EntityReference(model: "town", id: "t\(below(7))")
                : EntityReference(model: "person", id: "p\(below(270))")
            let name = owner.model == "town" ? "people" : world.random.pick(["friends", "admirers"])
            query.list = ListReference(name, of: owner)
        }
        if below(8) > 0 { query.filter = filter() }
        for _ in 0..<below(3) {
            let (path, _) = field()
            query.sort.append(
                SortKey(
                    path,
                    descending: below(2) == 0,
                    nils: below(3) == 0 ? world.random.pick(NilPlacement.allCases) : nil
                )
            )
        }
        if below(2) == 0 { query.limit = world.random.pick([0, 1, 2, 5, 20, 300]) }
        if below(4) == 0 { query.offset = below(8) }
        return query
    }
}
