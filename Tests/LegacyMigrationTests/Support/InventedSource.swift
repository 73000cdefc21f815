import Foundation
import LegacyMigration
import Reprise
import TestSupport

/// A source in memory, for records of any schema.
struct InventedSource: DetailedSource {
    static let kind = "invented"
    static func canRead(prefix: some Sequence<UInt8>) -> Bool { false }

    var identity = SourceIdentity(kind: "invented", name: "one")
    var schema: SchemaDescription
    var records: [LegacyRecord] = []
    var lists: [LegacyList] = []
    var absentFields: [String: Set<String>] = [:]
    var isPartial = false
    var infersSchema = false
    /// What happens while the export is read.
    var meanwhile: (@Sendable () throws -> Void)?
    var heldIdentifiers: [String: [String: HeldIdentifiers]] = [:]
    /// The classes in the order of their records, where that is not the schema's.
    var order: [String]?
    var recordOrder: [String] { order ?? schema.models.map(\.name) }
    var byteCount: UInt64 { UInt64(records.count) }

    func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        for name in recordOrder {
            for record in records where record.className == name {
                try consume(.record(record))
            }
        }
        for list in lists { try consume(.list(list)) }
        try meanwhile?()
        try consume(.progress(LegacyProgress(bytesRead: byteCount, byteCount: byteCount)))
        return LegacyReading(byteCount: byteCount, contentHash: contentHash)
    }

    func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        contentHash
    }

    /// That of all that it has.
    private var contentHash: ContentHash {
        var bytes: [UInt8] = []
        for record in records {
            bytes.append(text: record.className)
            bytes.append(text: record.key)
            for field in record.fields { bytes.append(field) }
        }
        for list in lists {
            for text in [list.className, list.key, list.name] + list.members {
                bytes.append(text: text)
            }
        }
        for (name, fields) in absentFields.sorted(by: { $0.key < $1.key }) {
            for text in [name] + fields.sorted() { bytes.append(text: text) }
        }
        return ContentHash(of: bytes)
    }
}

extension [UInt8] {
    /// A text and a byte that no text has. Texts in quotation marks take ten times as long.
    fileprivate mutating func append(text: String) {
        append(contentsOf: text.utf8)
        append(0xFF)
    }

    fileprivate mutating func append(_ field: LegacyField) {
        append(text: field.name)
        append(field.value)
    }

    fileprivate mutating func append(_ value: LegacyValue) {
        switch value {
        case .string(let text):
            append(text: "string")
            append(text: text)
        case .list(let values), .set(let values):
            append(text: "\(values.count) values")
            for value in values { append(value) }
        case .map(let fields):
            append(text: "\(fields.count) fields")
            for field in fields { append(field) }
        default: append(text: "\(value)")
        }
    }
}

/// Departments of departments, people in them who have a boss, teams of people in an order: to-ones to what comes
/// before, later, and to themselves; lists; something unique; every delete rule.
struct InventedCompany {
    static let schema = SchemaDescription(
        models: [
            ModelDescription(
                1,
                "person",
                [
                    ("name", .string, false), ("email", .string, true), ("age", .int, true),
                    ("pay", .decimal, true), ("tags", .list(.string, nilElements: false), false),
                    ("department", .reference, true), ("boss", .reference, true),
                ],
                unique: [[1]]
            ),
            ModelDescription(
                2,
                "department",
                [("name", .string, false), ("parent", .reference, true)]
            ),
            ModelDescription(3, "team", [("name", .string, false), ("lead", .reference, true)]),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 5),
                source: .init(model: 1, name: "department", onDelete: .nullify),
                target: .init(model: 2, name: "people", onDelete: .deny)
            ),
            RelationDescription(
                number: 2,
                kind: .reference(slot: 6),
                source: .init(model: 1, name: "boss", onDelete: .nullify),
                target: .init(model: 1, name: nil, onDelete: .nullify)
            ),
            RelationDescription(
                number: 3,
                kind: .reference(slot: 1),
                source: .init(model: 2, name: "parent", onDelete: .nullify),
                target: .init(model: 2, name: "children", onDelete: .cascade)
            ),
            RelationDescription(
                number: 4,
                kind: .reference(slot: 1),
                source: .init(model: 3, name: "lead", onDelete: .nullify),
                target: .init(model: 1, name: "leads", onDelete: .nullify)
            ),
            RelationDescription(
                number: 5,
                kind: .list,
                source: .init(model: 3, name: "members", onDelete: .nullify),
                target: .init(model: 1, name: "teams", onDelete: .nullify)
            ),
        ]
    )

    struct Person {
        var key: String
        var name: String
        var email: String?
        var age: Int64?
        var tags: [String] = []
        var department: String?
        var boss: String?
    }

    struct Department {
        var key: String
        var name: String
        var parent: String?
    }

    struct Team {
        var key: String
        var name: String
        var lead: String?
        var members: [String] = []
    }

    var people: [Person] = []
    var departments: [Department] = []
    var teams: [Team] = []

    var source: InventedSource {
        var source = InventedSource(schema: Self.schema)
        for person in people {
            var fields = [LegacyField("name", .string(person.name))]
            if let email = person.email { fields.append(LegacyField("email", .string(email))) }
            if let age = person.age {
                fields.append(LegacyField("age", .integer(age)))
                fields.append(LegacyField("pay", .decimal(Decimal(age) / 8)))
            }
            fields.append(LegacyField("tags", .list(person.tags.map { .string($0) })))
            if let key = person.department {
                fields.append(LegacyField("department", .reference(key)))
            }
            if let boss = person.boss { fields.append(LegacyField("boss", .reference(boss))) }
            source.records.append(
                LegacyRecord(className: "person", key: person.key, fields: fields)
            )
        }
        for department in departments {
            var fields = [LegacyField("name", .string(department.name))]
            if let parent = department.parent {
                fields.append(LegacyField("parent", .reference(parent)))
            }
            source.records.append(
                LegacyRecord(className: "department", key: department.key, fields: fields)
            )
        }
        for team in teams {
            var fields = [LegacyField("name", .string(team.name))]
            if let lead = team.lead { fields.append(LegacyField("lead", .reference(lead))) }
            source.records.append(LegacyRecord(className: "team", key: team.key, fields: fields))
            if team.members.isEmpty { continue }
            source.lists.append(
                LegacyList(
                    className: "team",
                    key: team.key,
                    name: "members",
                    members: LegacyReferences(team.members)
                )
            )
        }
        return source
    }

    // MARK: Chance

    init() {}

    /// A company in which to-ones lead anywhere, and sometimes nowhere.
    init(seed: inout TestSupport.SeededGenerator, size: Int) {
        for number in 0..<size {
            departments.append(Department(key: "d\(number)", name: "department \(number)"))
            teams.append(Team(key: "t\(number)", name: "team \(number)"))
        }
        for number in 0..<4 * size {
            people.append(Person(key: "p\(number)", name: "person \(number)", email: "\(number)@x"))
        }
        for _ in 0..<8 * size { change(&seed) }
    }

    /// Changes something by chance.
    mutating func change(_ seed: inout TestSupport.SeededGenerator) {
        func anybody(_ seed: inout TestSupport.SeededGenerator) -> String? {
            if seed.once(in: 8) { return nil }
            if seed.once(in: 20) { return "nobody" }
            return seed.pickIfAny(people)?.key
        }
        func anywhere(_ seed: inout TestSupport.SeededGenerator) -> String? {
            seed.once(in: 8) ? nil : seed.pickIfAny(departments)?.key
        }
        switch seed.below(12) {
        case 0...3:
            guard !people.isEmpty else { return }
            let place = seed.below(people.count)
            people[place].age = seed.once(in: 4) ? nil : Int64(seed.below(100))
            people[place].tags = (0..<seed.below(3)).map { "tag \($0)" }
            people[place].boss = anybody(&seed)
            people[place].department = anywhere(&seed)
        case 4:
            guard !departments.isEmpty else { return }
            departments[seed.below(departments.count)].parent = anywhere(&seed)
        case 5...7:
            guard !teams.isEmpty else { return }
            let place = seed.below(teams.count)
            teams[place].lead = anybody(&seed)
            switch seed.below(4) {
            case 0: teams[place].members = []
            case 1: teams[place].members.shuffle(using: &seed)
            default:
                for _ in 0..<1 + seed.below(5) {
                    guard let member = anybody(&seed) else { continue }
                    let there = seed.below(teams[place].members.count + 1)
                    teams[place].members.insert(member, at: there)
                }
            }
        case 8:
            guard people.count > 1 else { return }
            // Two of them swap their places.
            people.swapAt(seed.below(people.count), seed.below(people.count))
        case 9:
            guard !people.isEmpty else { return }
            people.remove(at: seed.below(people.count))
        case 10:
            if seed.once(in: 2), !departments.isEmpty {
                departments.remove(at: seed.below(departments.count))
            } else if !teams.isEmpty {
                teams.remove(at: seed.below(teams.count))
            }
        default:
            let number = 1000 + seed.below(1_000_000)
            people.insert(
                Person(key: "p\(number)", name: "new", email: "\(number)@y"),
                at: seed.below(people.count + 1)
            )
            departments.append(Department(key: "d\(number)", name: "new", parent: anywhere(&seed)))
        }
    }
}
