import LegacyMigration
import Reprise
import TestSupport

/// What somebody does who keeps two stores side by side: what the source's next export will say is done here, too.
extension LocalEdits {
    /// Does by chance what a company says of somebody or something, where it is allowed.
    ///
    /// - Parameter makesRows: whether rows are made that are not there.
    static func follow(
        _ company: InventedCompany,
        _ count: Int,
        in library: TemporaryLibrary,
        _ seed: inout TestSupport.SeededGenerator,
        makesRows: Bool = true
    ) throws {
        for _ in 0..<count {
            do {
                try library.write { try follow(company, in: &$0, &seed, makesRows) }
            } catch let error as StoreError
                where [.deleteDenied, .uniqueViolation, .targetMissing].contains(error.code)
            {
                continue
            }
        }
    }

    private static func follow(
        _ company: InventedCompany,
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator,
        _ makesRows: Bool
    ) throws {
        switch seed.below(5) {
        case 0, 1:
            guard let person = seed.pickIfAny(company.people) else { return }
            func reference(_ key: String?) -> Value {
                key == "nobody" ? .null : key.map { .reference($0) } ?? .null
            }
            let values: [String: Value] = [
                "name": .string(person.name),
                "email": person.email.map { .string($0) } ?? .null,
                "age": person.age.map { .int(Int($0)) } ?? .null,
                "tags": .list(person.tags.map { .string($0) }),
                "department": reference(person.department),
                "boss": reference(person.boss),
            ]
            let row = EntityReference(model: "person", id: person.key)
            if try !makesRows && transaction.revision(of: row) == nil { return }
            try transaction.put(row, values: values)
        case 2:
            guard let team = seed.pickIfAny(company.teams) else { return }
            let row = EntityReference(model: "team", id: team.key)
            if try transaction.revision(of: row) == nil {
                if !makesRows { return }
                try transaction.put(row, values: ["name": .string(team.name)])
            }
            try arrange(team.members, "members", of: row, in: &transaction)
        case 3:
            guard let department = seed.pickIfAny(company.departments) else { return }
            let row = EntityReference(model: "department", id: department.key)
            if try transaction.revision(of: row) == nil { return }
            let people = company.people.filter { $0.department == department.key }.map(\.key)
            for id in people {
                let entries = try transaction.entries(of: "people", model: "department", id: row.id)
                guard let entry = entries.first(where: { $0.target == id }) else { continue }
                try transaction.move("people", entry: entry, of: row, to: .last)
            }
        default:
            let wanted = Set(company.people.map(\.key))
            let rows = try transaction.records(RecordQuery(model: "person"))
            let gone = rows.map(\.id).filter { !wanted.contains($0) }
            guard let id = seed.pickIfAny(gone) else { return }
            _ = try transaction.delete(EntityReference(model: "person", id: id))
        }
    }

    /// Gives a list the members that are there, in their order.
    private static func arrange(
        _ members: [String],
        _ list: String,
        of owner: EntityReference,
        in transaction: inout WriteTransaction
    ) throws {
        var left = try transaction.entries(of: list, model: owner.model, id: owner.id)
        for id in members {
            if let index = left.firstIndex(where: { $0.target == id }) {
                try transaction.move(list, entry: left.remove(at: index), of: owner, to: .last)
            } else if try transaction.revision(of: EntityReference(model: "person", id: id)) != nil {
                _ = try transaction.link(list, of: owner, to: id)
            }
        }
        for entry in left { try transaction.unlink(list, entry: entry, of: owner) }
    }
}
