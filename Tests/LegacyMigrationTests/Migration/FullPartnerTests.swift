import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports that want of rows what these have no room for: rows as large as the store can hold (STO-15).
@Suite struct FullPartnerTests {
    /// A car has one driver and must have one, a driver has one car at most, and stands in the list of a club.
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "club", [("name", .string, true)]),
            ModelDescription(2, "car", [("driver", .reference, false), ("note", .string, true)]),
            ModelDescription(
                3,
                "driver",
                [("car", .reference, true), ("club", .reference, true), ("note", .string, true)]
            ),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .pair(sourceSlot: 0, targetSlot: 0),
                source: .init(model: 3, name: "car", onDelete: .deny),
                target: .init(model: 2, name: "driver", onDelete: .nullify)
            ),
            RelationDescription(
                number: 2,
                kind: .reference(slot: 1),
                source: .init(model: 3, name: "club", onDelete: .nullify),
                target: .init(model: 1, name: "drivers", onDelete: .nullify)
            ),
        ]
    )

    private static let long = "a driver with a long name"

    private func source(
        _ cars: [(car: String, driver: String?)],
        _ drivers: [(driver: String, car: String?)],
        club: [String] = []
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.order = ["club", "driver", "car"]
        source.absentFields = ["car": ["note"], "driver": ["note", "club"], "club": ["name"]]
        if cars.allSatisfy({ $0.driver == nil }) { source.absentFields["car"]?.insert("driver") }
        if drivers.allSatisfy({ $0.car == nil }) { source.absentFields["driver"]?.insert("car") }
        func add(_ model: String, _ key: String, _ name: String, _ target: String?) {
            let fields = target.map { [LegacyField(name, .reference($0))] } ?? []
            source.records.append(LegacyRecord(className: model, key: key, fields: fields))
        }
        add("club", "club", "name", nil)
        for (driver, car) in drivers { add("driver", driver, "car", car) }
        for (car, driver) in cars { add("car", car, "driver", driver) }
        if !club.isEmpty {
            source.lists.append(
                LegacyList(
                    className: "club",
                    key: "club",
                    name: "drivers",
                    members: LegacyReferences(club)
                )
            )
        }
        return source
    }

    private func fill(
        _ library: TemporaryLibrary,
        _ model: String,
        _ id: String,
        leaving: Int
    ) throws {
        let note = String(decoding: [UInt8](repeating: 0x78, count: rowByteCountMax - leaving), as: UTF8.self)
        _ = try library.store.write {
            try $0.put(EntityReference(model: model, id: id), values: ["note": .string(note)])
        }
    }

    private func value(
        _ library: TemporaryLibrary,
        _ model: String,
        _ id: String,
        _ name: String
    ) throws -> Value? {
        try library.store.read { try $0.record(model: model, id: id)?[name] }
    }

    @Test func `a partner that has no room is said of the one that wants it`() throws {
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        let drivers = [Self.long, "y", "z"]
        let old = source([("k", Self.long), ("l", "y")], drivers.map { ($0, nil) })
        _ = try Migrator(replacing: old, store: library.store).run()
        // Two slots: there is room for a driver of one letter.
        try fill(library, "car", "l", leaving: 2 + 2 * 4 + 9)
        // The first lets go of its car only because the last takes it, and cannot have the other one.
        let new = source([("k", nil), ("l", nil)], [(Self.long, "l"), ("y", nil), ("z", "k")])
        let report = try Migrator(replacing: new, store: library.store).run()
        // Whoever wants what the others have to keep is told of, too.
        #expect(report.warningCounts == [.refusedRecord: 1, .uniqueValueTaken: 2], "\(report.warnings)")
        #expect(try value(library, "car", "k", "driver") == .reference("z"))
        #expect(try value(library, "car", "l", "driver") == .reference("y"))
        #expect(try library.store.verify().isSound)
    }

    @Test func `a member that has no room for its owner is left out of the list`() throws {
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        let drivers: [(String, String?)] = [("x", nil), ("y", nil), ("z", nil)]
        _ = try Migrator(replacing: source([], drivers, club: ["x"]), store: library.store).run()
        try fill(library, "driver", "y", leaving: 2 + 3 * 4)
        let new = source([], drivers, club: ["x", "y", "z"])
        let report = try Migrator(replacing: new, store: library.store).run()
        #expect(report.warningCounts == [.refusedRecord: 1])
        let members = try library.store.read {
            try $0.record(model: "club", id: "club")?.lists.first?.targets
        }
        #expect(members == ["x", "z"])
        for _ in 0..<2 {
            #expect(try Migrator(replacing: new, store: library.store).run().eventCount == 0)
            let plan = try Migrator(replacing: new, store: library.store).plan()
            #expect(plan.writtenCount == 0)
        }
    }

    @Test func `a partner that comes later and has no room makes no run begin twice`() throws {
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        let old = source([("l", "y")], [(Self.long, nil), ("y", nil)])
        _ = try Migrator(replacing: old, store: library.store).run()
        try fill(library, "car", "l", leaving: 2 + 2 * 4 + 9)
        let new = source([("l", nil)], [(Self.long, "l"), ("y", nil)])
        _ = try Migrator(replacing: new, store: library.store).run()
        #expect(try Migrator(replacing: new, store: library.store).run().eventCount == 0)
        #expect(try value(library, "car", "l", "driver") == .reference("y"))
    }
}
