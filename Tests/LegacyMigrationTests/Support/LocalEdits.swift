import LegacyMigration
import Reprise
import TestSupport

/// What somebody does to a store with a company, besides the migrations.
enum LocalEdits {
    /// What the rules of the schema may forbid.
    private static let refusals: Set<StoreError.Code> = [.deleteDenied, .uniqueViolation]

    /// Changes something by chance, where it is allowed.
    static func make(
        _ count: Int,
        in library: TemporaryLibrary,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        for _ in 0..<count {
            do {
                try library.write { try make(in: &$0, &seed) }
            } catch let error as StoreError
                where Self.refusals.contains(error.code)
            {
                continue
            }
        }
    }

    private static func make(
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        func any(_ model: String, _ seed: inout TestSupport.SeededGenerator) throws -> EntityReference? {
            let records = try transaction.records(RecordQuery(model: model))
            return seed.pickIfAny(records).map { EntityReference(model: model, id: $0.id) }
        }
        func reference(_ model: String, _ seed: inout TestSupport.SeededGenerator) throws -> Value {
            if seed.once(in: 4) { return .null }
            return try any(model, &seed).map { .reference($0.id) } ?? .null
        }
        switch seed.below(10) {
        case 0, 1:
            guard let person = try any("person", &seed) else { return }
            let values: [String: Value] = [
                "age": seed.once(in: 3) ? .null : .int(1000 + seed.below(100)),
                "tags": .list([.string("here")]),
            ]
            try transaction.put(person, values: values)
        case 2:
            guard let person = try any("person", &seed) else { return }
            try transaction.put(person, values: ["boss": reference("person", &seed)])
        case 3:
            guard let person = try any("person", &seed) else { return }
            try transaction.put(person, values: ["department": reference("department", &seed)])
        case 4:
            guard let department = try any("department", &seed) else { return }
            let entries = try transaction.entries(
                of: "people",
                model: "department",
                id: department.id
            )
            guard let entry = seed.pickIfAny(entries) else { return }
            try transaction.move(
                "people",
                entry: entry,
                of: department,
                to: seed.once(in: 2) ? .first : .last
            )
        case 5:
            guard let row = try any(seed.once(in: 2) ? "person" : "team", &seed) else { return }
            _ = try transaction.delete(row)
        case 6:
            guard let row = try any("department", &seed) else { return }
            _ = try transaction.delete(row)
        case 7:
            guard let team = try any("team", &seed), let person = try any("person", &seed)
            else { return }
            _ = try transaction.link("members", of: team, to: person.id)
        default:
            guard let team = try any("team", &seed) else { return }
            let entries = try transaction.entries(of: "members", model: "team", id: team.id)
            guard let entry = seed.pickIfAny(entries) else { return }
            if seed.once(in: 2) {
                try transaction.unlink("members", entry: entry, of: team)
            } else {
                try transaction.move(
                    "members",
                    entry: entry,
                    of: team,
                    to: seed.once(in: 2) ? .first : .last
                )
            }
        }
    }
}
