import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// Rows that want a partner whom another row must have.
@Suite struct WaitingPartnerTests {
    struct Driver {
        var key: String
        var car: String?
        var email: String?
    }

    let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema()))
    }

    /// A driver has one car and must have one, as a rule.
    private static func schema(isOptional: Bool = false) -> SchemaDescription {
        SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "car",
                    version: 1,
                    slotCount: 2,
                    attributes: [
                        .init(slot: 0, name: "name", type: .string, isOptional: true),
                        .init(slot: 1, name: "driver", type: .reference, isOptional: true),
                    ],
                    indexes: [IndexDescription(number: 2, slots: [0], isUnique: true)]
                ),
                ModelDescription(
                    number: 2,
                    name: "driver",
                    version: 1,
                    slotCount: 2,
                    attributes: [
                        .init(slot: 0, name: "email", type: .string, isOptional: true),
                        .init(slot: 1, name: "car", type: .reference, isOptional: isOptional),
                    ],
                    indexes: [IndexDescription(number: 1, slots: [0], isUnique: true)]
                ),
            ],
            relations: [
                RelationDescription(
                    number: 1,
                    kind: .pair(sourceSlot: 1, targetSlot: 1),
                    source: .init(model: 2, name: "car", onDelete: .nullify),
                    target: .init(model: 1, name: "driver", onDelete: isOptional ? .nullify : .deny)
                )
            ]
        )
    }

    private func source(
        cars: [String],
        _ drivers: [Driver],
        driversFirst: Bool = false,
        names: [String: String] = [:]
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema())
        // Only the drivers say whose car it is.
        source.absentFields = ["car": ["driver"]]
        if driversFirst { source.order = ["driver", "car"] }
        for car in cars {
            let fields = [LegacyField("name", .string(names[car] ?? car))]
            source.records.append(LegacyRecord(className: "car", key: car, fields: fields))
        }
        for driver in drivers {
            var fields: [LegacyField] = []
            if let email = driver.email { fields.append(LegacyField("email", .string(email))) }
            if let car = driver.car { fields.append(LegacyField("car", .reference(car))) }
            source.records.append(
                LegacyRecord(className: "driver", key: driver.key, fields: fields)
            )
        }
        return source
    }

    private func driver(_ key: String, _ car: String, _ email: String? = nil) -> Driver {
        Driver(key: key, car: car, email: email)
    }

    @Test(arguments: [false, true])
    func `a new driver gets the car that another one lets go of`(driversFirst: Bool) throws {
        let cars = ["c1", "c2"]
        let old = source(cars: cars, [driver("d1", "c1")], driversFirst: driversFirst)
        _ = try library.migrate(old)
        try library.expectAllOrNothing(
            of: source(
                cars: cars,
                [driver("d2", "c1"), driver("d1", "c2")],
                driversFirst: driversFirst
            )
        )
    }

    @Test func `drivers move up by one car`() throws {
        let cars = (0..<7).map { "c\($0)" }
        let old = (0..<6).map { driver("d\($0)", "c\($0)", "\($0)") }
        _ = try library.migrate(source(cars: cars, old))
        let new = (0..<6).map { driver("d\($0)", "c\($0 + 1)", "\(5 - $0)") }
        try library.expectAllOrNothing(of: source(cars: cars, new))
    }

    @Test func `drivers who swap their values and move to other cars have both`() throws {
        let cars = ["c1", "c2", "c3", "c4"]
        let old = [driver("d1", "c1", "a"), driver("d2", "c2", "b"), driver("d3", "c3")]
        _ = try library.migrate(source(cars: cars, old))
        // Who is the first of those that are updated together wants what the next one lets go of by itself.
        let new = [driver("d1", "c2", "b"), driver("d2", "c3", "a"), driver("d3", "c4")]
        try library.expectAllOrNothing(of: source(cars: cars, new))
    }

    @Test(arguments: [false, true])
    func `drivers who only swap their cars have them, whenever a run ends`(
        driversFirst: Bool
    ) throws {
        let cars = ["c1", "c2"]
        let old = [driver("d1", "c1", "a"), driver("d2", "c2", "b")]
        _ = try library.migrate(source(cars: cars, old))
        let new = source(
            cars: cars,
            [driver("d1", "c2", "b"), driver("d2", "c1", "a")],
            driversFirst: driversFirst
        )
        let plan = try Migrator(replacing: new, store: library.store).plan()
        #expect(plan.counts["driver"]?.updated == 2)
        #expect(plan.warningCounts.isEmpty)
        try library.expectAllOrNothing(of: new)
    }

    @Test(arguments: [false, true])
    func `drivers swap cars, though one of these waits for a name to the end`(
        driversFirst: Bool
    ) throws {
        let cars = ["c1", "c2"]
        let old = [driver("d1", "c1"), driver("d2", "c2")]
        _ = try library.migrate(source(cars: cars, old))
        let mine = EntityReference(model: "car", id: "mine")
        _ = try library.store.write { try $0.put(mine, values: ["name": .string("taken")]) }
        let new = source(
            cars: cars,
            [driver("d1", "c2"), driver("d2", "c1")],
            driversFirst: driversFirst,
            names: ["c2": "taken"]
        )
        let plan = try Migrator(replacing: new, store: library.store).plan()
        let report = try library.expectWholeOrNothing(of: new)
        #expect(report.warningCounts == [.uniqueValueTaken: 1])
        #expect(plan.warningCounts == report.warningCounts)
        #expect(plan.counts["driver"] == report.counts["driver"])
        let driven = try library.store.read { state in
            try ["d1", "d2"].map { try state.record(model: "driver", id: $0)?["car"] }
        }
        #expect(driven == [.reference("c2"), .reference("c1")])
        #expect(try library.migrate(new).eventCount == 0)
    }

    @Test func `cars go round among many drivers`() throws {
        let cars = (0..<11).map { "c\($0)" }
        let old = (0..<10).map { driver("d\($0)", "c\($0)", "\($0)") }
        _ = try library.migrate(source(cars: cars, old))
        // Outside of the ring one moves on, and a new one gets what it lets go of.
        let new = (0..<9).map { driver("d\($0)", "c\(($0 + 5) % 9)", "\(($0 + 2) % 9)") }
        let others = [driver("e", "c9"), driver("d9", "c10", "9")]
        try library.expectAllOrNothing(of: source(cars: cars, new + others))
    }

    @Test func `cars of which the cars say whose they are go round, too`() throws {
        let drivers = (0..<4).map { driver("d\($0)", "c\($0)") }
        let cars = (0..<4).map { "c\($0)" }
        _ = try library.migrate(source(cars: cars, drivers))
        var new = source(cars: cars, (0..<4).map { Driver(key: "d\($0)") })
        new.absentFields = ["driver": ["car"]]
        new.records = new.records.map { record in
            guard let number = cars.firstIndex(of: record.key) else { return record }
            let owner = LegacyField("driver", .reference("d\((number + 1) % 4)"))
            return LegacyRecord(className: "car", key: record.key, fields: record.fields + [owner])
        }
        try library.expectAllOrNothing(of: new)
    }

    @Test(arguments: [false, true])
    func `what somebody keeps for good stays, and the same again writes nothing`(
        driversFirst: Bool
    ) throws {
        let cars = ["c1", "c2", "c3", "c4"]
        let old = (1...4).map { driver("d\($0)", "c\($0)", "\($0)") }
        _ = try library.migrate(source(cars: cars, old))
        // The third keeps its car, which the second names first, so two others keep theirs; these swap their addresses
        // all the same.
        let new = source(
            cars: cars,
            [
                driver("d1", "c2", "2"), driver("d2", "c3", "1"), driver("d3", "c3", "3"),
                driver("d4", "c4", "5"),
            ],
            driversFirst: driversFirst
        )
        let report = try library.expectWholeOrNothing(of: new)
        let said = report.warningCounts
        #expect(said[.disputedPartner] == 1 && said[.refusedRecord] == 1)
        let rows = try library.store.read { state in
            try ["d1", "d2"].map { try state.record(model: "driver", id: $0) }
        }
        #expect(rows.map { $0?["car"] } == [.reference("c1"), .reference("c2")])
        #expect(rows.map { $0?["email"] } == [.string("2"), .string("1")])
        for _ in 0..<2 {
            let plan = try Migrator(replacing: new, store: library.store).plan()
            #expect(plan.writtenCount == 0)
            #expect(plan.warningCounts == said)
            let again = try library.migrate(new)
            #expect(again.eventCount == 0)
            #expect(again.warningCounts == said)
        }
    }

    @Test(arguments: seeds([0, 1, 2, 56, 74, 128]))
    func `whoever drives which car, it comes to the same`(number: UInt64) throws {
        try seeded(number) { seed in
            for _ in 0..<3 {
                let cars = (0..<9).map { "c\($0)" }.shuffled(using: &seed)
                let emails = (0..<6).map { "\($0)@x" }.shuffled(using: &seed)
                let keys = (0..<8).map { "d\($0)" }.shuffled(using: &seed).prefix(6)
                let drivers = keys.enumerated().map {
                    driver(
                        $1,
                        seed.once(in: 8) ? seed.pick(cars) : cars[$0],
                        seed.once(in: 4)
                            ? nil : seed.once(in: 8) ? seed.pick(emails) : emails[$0]
                    )
                }
                let source = source(
                    cars: cars.sorted(),
                    drivers,
                    driversFirst: seed.once(in: 3)
                )
                let plan = try Migrator(replacing: source, store: library.store).plan()
                // Now and then nothing of it can be.
                if plan.writtenCount == 0 { continue }
                try library.expectWholeOrNothing(of: source)
                let again = try Migrator(replacing: source, store: library.store).plan()
                #expect(again.writtenCount == 0, "\(again.warnings) \(again.counts) \(drivers)")
                #expect(try library.migrate(source).eventCount == 0)
            }
        }
    }
}
