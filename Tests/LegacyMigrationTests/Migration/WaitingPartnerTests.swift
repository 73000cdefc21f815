import Reprise
import TestSupport
import Testing

@testable import LegacyMigration

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
                    indexes: []
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
        driversFirst: Bool = false
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema())
        // Only the drivers say whose car it is.
        source.absentFields = ["car": ["driver"]]
        if driversFirst { source.order = ["driver", "car"] }
        for car in cars {
            let fields = [LegacyField("name", .string(car))]
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
        _ = try library.migrate(old, batch: 1)
        try library.expectAllAfterAnyBatch(
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
        _ = try library.migrate(source(cars: cars, old), batch: 1)
        let new = (0..<6).map { driver("d\($0)", "c\($0 + 1)", "\(5 - $0)") }
        try library.expectAllAfterAnyBatch(of: source(cars: cars, new))
    }

    @Test func `drivers who swap their values and move to other cars have both`() throws {
        let cars = ["c1", "c2", "c3", "c4"]
        let old = [driver("d1", "c1", "a"), driver("d2", "c2", "b"), driver("d3", "c3")]
        _ = try library.migrate(source(cars: cars, old), batch: 1)
        // Who is the first of those that are updated together wants what the next one lets go of by itself.
        let new = [driver("d1", "c2", "b"), driver("d2", "c3", "a"), driver("d3", "c4")]
        try library.expectAllAfterAnyBatch(of: source(cars: cars, new))
    }

    @Test func `drivers who only swap their cars keep them, whenever a run ends`() throws {
        let cars = ["c1", "c2"]
        let old = [driver("d1", "c1", "a"), driver("d2", "c2", "b")]
        _ = try library.migrate(source(cars: cars, old), batch: 1)
        let new = source(cars: cars, [driver("d1", "c2", "b"), driver("d2", "c1", "a")])
        let report = try library.expectSameDigestAfterAnyBatch(of: new)
        #expect(report.warningCounts.values.reduce(0, +) == 2)
    }

    @Test(arguments: seeds([0, 1, 2, 56, 74]))
    func `whoever drives which car, it comes to the same`(number: UInt64) throws {
        try seeded(number) { seed in
            let countMax = seed.once(in: 2) ? 10_000 : 1 + seed.below(4)
            try PostponedRecords.$bounds.withValue(.init(countMax: countMax)) {
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
                    let batch = 1 + seed.below(3)
                    try library.expectSameDigestAfterAnyBatch(of: source, batch: batch)
                }
            }
        }
    }
}
