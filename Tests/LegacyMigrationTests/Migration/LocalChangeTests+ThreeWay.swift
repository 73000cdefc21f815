import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that are made, changed and deleted on both sides, and states that somebody goes back to: what a model of three
/// sides says, and nothing else.
extension LocalChangeTests {
    /// What is in the store, and what the source has said of it.
    private struct Sides {
        typealias Row = [String: Value]

        var rows: [String: Row] = [:]
        var said: [String: Row] = [:]
        /// Which rows a migration has made.
        var isOfSource: Set<String> = []
        /// What somebody else has written, and the source has not written or said since.
        var changed: [String: Set<String>] = [:]

        mutating func write(_ row: Row, _ id: String) {
            if rows[id] == nil {
                isOfSource.remove(id)
                rows[id] = [:]
            }
            for (name, value) in row where rows[id]?[name] != value {
                rows[id]?[name] = value
                // What is set back to what the source says is no change.
                if isOfSource.contains(id), said[id]?[name] == value {
                    changed[id]?.remove(name)
                } else {
                    changed[id, default: []].insert(name)
                }
            }
        }

        mutating func delete(_ id: String) {
            rows[id] = nil
            changed[id] = nil
        }

        mutating func merge(_ export: [String: Row]) {
            for (id, row) in export {
                if rows[id] == nil {
                    if said[id] == row { continue }
                    rows[id] = row
                    changed[id] = nil
                    isOfSource.insert(id)
                } else {
                    for (name, value) in row {
                        let isLocal = changed[id]?.contains(name) == true
                        if rows[id]?[name] == value {
                            if said[id]?[name] != value { changed[id]?.remove(name) }
                        } else if !isLocal || said[id]?[name] != value {
                            rows[id]?[name] = value
                            changed[id]?.remove(name)
                        }
                    }
                }
                said[id] = row
            }
            for id in rows.keys where export[id] == nil && isOfSource.contains(id) {
                guard changed[id]?.isEmpty ?? true else { continue }
                rows[id] = nil
                said[id] = nil
            }
        }

        /// What is gone on both sides is known to be so.
        mutating func noteGone(_ export: [String: Row]) {
            for id in said.keys where rows[id] == nil && export[id] == nil { said[id] = nil }
        }
    }

    private static let names = ["name", "email", "age", "department"]

    private static func row(_ person: InventedCompany.Person) -> Sides.Row {
        [
            "name": .string(person.name), "email": person.email.map { .string($0) } ?? .null,
            "age": person.age.map { .int(Int($0)) } ?? .null,
            "department": person.department.map { .reference($0) } ?? .null,
        ]
    }

    private static func person(_ id: String, _ seed: inout TestSupport.SeededGenerator) -> InventedCompany.Person {
        var person = InventedCompany.Person(key: id, name: "x\(seed.below(3))")
        if seed.once(in: 2) { person.email = "\(id)@\(seed.below(2))" }
        if seed.once(in: 2) { person.age = Int64(seed.below(3)) }
        if seed.once(in: 2) { person.department = seed.once(in: 2) ? "d" : "e" }
        return person
    }

    private var rows: [String: Sides.Row] {
        get throws {
            try library.store.read { state in
                var rows: [String: Sides.Row] = [:]
                for record in try state.records(RecordQuery(model: "person")) {
                    for name in Self.names { rows[record.id, default: [:]][name] = record[name] }
                }
                return rows
            }
        }
    }

    @Test(arguments: seeds(Array(0..<40)))
    func `rows are merged as three-way merges are, whatever state somebody goes back to`(number: UInt64) throws {
        try seeded(number) { seed in
            let ids = ["p1", "p2", "p3", "p4", "p5"]
            var company = InventedCompany()
            company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
            company.people = ids.prefix(3).map { Self.person($0, &seed) }
            _ = try library.migrate(company.source)
            var sides = Sides()
            sides.merge(Dictionary(uniqueKeysWithValues: company.people.map { ($0.key, Self.row($0)) }))
            var past: [(position: Position, sides: Sides)] = []
            for round in 0..<15 {
                for _ in 0..<seed.below(3) {
                    let id = ids[seed.below(ids.count)]
                    let place = company.people.firstIndex { $0.key == id }
                    if let place, seed.once(in: 3) {
                        company.people.remove(at: place)
                    } else if let place {
                        company.people[place] = Self.person(id, &seed)
                    } else {
                        company.people.append(Self.person(id, &seed))
                    }
                }
                for _ in 0..<seed.below(4) {
                    let id = ids[seed.below(ids.count)]
                    if sides.rows[id] != nil, seed.once(in: 4) {
                        try library.write { _ = try $0.delete(self.person(id)) }
                        sides.delete(id)
                        continue
                    }
                    // What was made here, and the source has never had, is nobody's but its maker's.
                    if sides.rows[id] == nil, sides.said[id] == nil { continue }
                    // Often what the source says, and often only some of it.
                    var row = Self.row(
                        company.people.first { $0.key == id && seed.once(in: 2) } ?? Self.person(id, &seed)
                    )
                    if sides.rows[id] != nil {
                        for name in Self.names where seed.once(in: 2) { row[name] = nil }
                    }
                    var values = row
                    if sides.rows[id] == nil { values["tags"] = .list([]) }
                    try library.write { try $0.put(self.person(id), values: values) }
                    sides.write(row, id)
                }
                past.append((try library.head, sides))
                if seed.once(in: 5) {
                    let there = past[seed.below(past.count)]
                    try library.store.rollback(to: .position(there.position))
                    sides = there.sides
                }
                guard !seed.once(in: 3) else { continue }
                let export = Dictionary(uniqueKeysWithValues: company.people.map { ($0.key, Self.row($0)) })
                let plan = try Migrator(replacing: company.source, store: library.store).plan()
                let report = try library.migrate(company.source)
                #expect(plan.counts == report.counts, "in round \(round)")
                #expect(plan.warningCounts == report.warningCounts, "in round \(round)")
                #expect((plan.writtenCount + plan.agreedCount > 0) == (report.eventCount > 0), "in round \(round)")
                sides.merge(export)
                if report.eventCount > 0 { sides.noteGone(export) }
                let there = try rows
                let wrong = ids.filter { there[$0] != sides.rows[$0] }
                    .map { "\($0): \(there[$0] ?? [:]), not \(sides.rows[$0] ?? [:])" }
                #expect(wrong == [], "in round \(round)")
                #expect(try library.migrate(company.source).eventCount == 0, "in round \(round)")
                past.append((try library.head, sides))
            }
            #expect(try library.store.verify().isSound)
        }
    }
}
