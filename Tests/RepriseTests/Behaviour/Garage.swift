import Reprise
import TestSupport
import Testing

/// Drivers and cars, at most one car for each driver; either side may have to have a partner.
struct Garage {
    private let directory: TemporaryDirectory
    let store: Store
    let driverNeeds: Bool
    let carNeeds: Bool

    init(driverNeeds: Bool = false, carNeeds: Bool = false) throws {
        self.driverNeeds = driverNeeds
        self.carNeeds = carNeeds
        directory = try TemporaryDirectory()
        let schema = SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "car",
                    version: 1,
                    slotCount: 1,
                    attributes: [
                        .init(slot: 0, name: "driver", type: .reference, isOptional: !carNeeds)
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
                        .init(slot: 1, name: "car", type: .reference, isOptional: !driverNeeds),
                    ],
                    indexes: [IndexDescription(number: 1, slots: [0], isUnique: true)]
                ),
            ],
            relations: [
                RelationDescription(
                    number: 1,
                    kind: .pair(sourceSlot: 1, targetSlot: 0),
                    source: .init(model: 2, name: "car", onDelete: carNeeds ? .deny : .nullify),
                    target: .init(
                        model: 1,
                        name: "driver",
                        onDelete: driverNeeds ? .deny : .nullify
                    )
                )
            ]
        )
        store = try Store.open(at: directory.path("garage"), schema: Schema(schema))
    }

    func carReference(_ number: Int) -> EntityReference {
        EntityReference(model: "car", id: "c\(number)")
    }

    func driverReference(_ number: Int) -> EntityReference {
        EntityReference(model: "driver", id: "d\(number)")
    }

    func car(_ number: Int, driver: Int?) -> RowValues {
        RowValues(carReference(number), [driver.map { .reference("d\($0)") } ?? .null])
    }

    func driver(_ number: Int, car: Int?) -> RowValues {
        RowValues(driverReference(number), [nil, car.map { .reference("c\($0)") } ?? .null])
    }

    /// Each driver has the car of the same number, where there is one.
    func insert(cars: Int, drivers: Int) throws {
        try store.write { try insert(cars: cars, drivers: drivers, &$0) }
    }

    func insert(cars: Int, drivers: Int, _ transaction: inout WriteTransaction) throws {
        func insertCars() throws {
            for number in 0..<cars {
                let row = car(number, driver: carNeeds ? number : nil)
                try transaction.put(row.reference, inOrder: row.values)
            }
        }
        if !carNeeds { try insertCars() }
        for number in 0..<drivers {
            var values = driver(number, car: !carNeeds && number < cars ? number : nil).values
            values[0] = .string("\(number)")
            try transaction.put(driverReference(number), inOrder: values)
        }
        if carNeeds { try insertCars() }
    }

    /// Updates rows together: what that foretells is done, and nobody who needs a partner is without one on the way.
    func update(_ rows: [RowValues]) throws -> [StoreError?] {
        let foreseen = try store.read { try $0.refusals(together: rows) }
        let head = try store.read { $0.head }
        let refusals = try store.write { try $0.update(together: rows) }
        #expect(foreseen.map { $0?.message } == refusals.map { $0?.message })
        try store.read { state in
            let first = Position(rawValue: head.rawValue + 1)
            guard state.head > head else { return }
            try state.forEachCommit(from: first) { commit in
                for event in commit.events {
                    if let cause = event.cause {
                        #expect(cause >= first && cause < event.position)
                    }
                    for change in event.changes where change.to == .null {
                        #expect(!(driverNeeds && change.name == "car"))
                        #expect(!(carNeeds && change.name == "driver"))
                    }
                }
                return true
            }
        }
        _ = try pairs()
        return refusals
    }

    func car(ofDriver number: Int) throws -> Int? { try pairs()[number] }

    /// Which driver has which car; both sides have to agree.
    func pairs() throws -> [Int: Int] {
        let cars = try targets("driver", "car")
        let drivers = try targets("car", "driver")
        #expect(cars.count == drivers.count)
        for (driver, car) in cars { #expect(drivers[car] == driver) }
        return cars
    }

    private func targets(_ model: String, _ name: String) throws -> [Int: Int] {
        var targets: [Int: Int] = [:]
        for record in try store.read({ try $0.records(RecordQuery(model: model)) }) {
            guard case .reference(let target) = record[name] else { continue }
            targets[try #require(Int(record.id.dropFirst()))] = Int(target.dropFirst())
        }
        return targets
    }

    /// Some rows of both sides, each with any partner, mostly one that another one of them has.
    func anyRows(_ seed: inout SeededGenerator) throws -> [RowValues] {
        func count(_ model: String) throws -> Int {
            try store.read { try $0.records(RecordQuery(model: model)).count }
        }
        let (cars, drivers) = (try count("car"), try count("driver"))
        var rows: [RowValues] = []
        let speaksBoth = seed.once(in: 3)
        let shuffledCars = (0..<cars).shuffled(using: &seed)
        for number in (0..<drivers).shuffled(using: &seed) where !seed.once(in: 3) {
            let isAny = seed.once(in: 6) || number >= cars
            let car = isAny ? seed.below(cars) : shuffledCars[number]
            rows.append(driver(number, car: !driverNeeds && seed.once(in: 8) ? nil : car))
        }
        if speaksBoth {
            for number in (0..<cars).shuffled(using: &seed) where seed.once(in: 3) {
                let driver = shuffledCars.firstIndex(of: number) ?? 0
                let isAny = seed.once(in: 6) || driver >= drivers
                let other = isAny ? seed.below(drivers) : driver
                rows.append(car(number, driver: !carNeeds && seed.once(in: 8) ? nil : other))
            }
            rows.shuffle(using: &seed)
        }
        return rows
    }
}

/// Which of several rows get other partners, worked out in the plainest way: whoever would leave somebody without a
/// partner stays out, until nobody does.
struct PartnerModel {
    /// What a row says: that a driver has a car, or that one of them has nobody.
    private struct Wish {
        var driver: Int?
        var car: Int?
    }

    private(set) var isRefused: [Bool]
    private(set) var after: [Int: Int]

    init(_ before: [Int: Int], _ rows: [RowValues], _ garage: Garage) {
        let wishes = rows.map(Self.wish)
        isRefused = []
        after = before
        // What the first says of a driver or a car counts, whatever comes of it.
        var cars: [Int: Int?] = [:]
        var drivers: [Int: Int?] = [:]
        for wish in wishes {
            var contradicts = false
            if let driver = wish.driver {
                contradicts = cars[driver, default: wish.car] != wish.car
                if !cars.keys.contains(driver) { cars.updateValue(wish.car, forKey: driver) }
            }
            if let car = wish.car {
                contradicts = contradicts || drivers[car, default: wish.driver] != wish.driver
                if !drivers.keys.contains(car) { drivers.updateValue(wish.driver, forKey: car) }
            }
            isRefused.append(contradicts)
        }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            let chosen = wishes.indices.filter { !isRefused[$0] }.map { wishes[$0] }
            after = Self.apply(chosen, before)
            for (driver, car) in before.sorted(by: { $0.key < $1.key }) {
                let isWithout =
                    garage.driverNeeds && after[driver] == nil
                    || garage.carNeeds && !after.values.contains(car)
                guard isWithout else { continue }
                for place in wishes.indices where !isRefused[place] {
                    let wish = wishes[place]
                    let takesCar =
                        garage.driverNeeds && after[driver] == nil && wish.car == car
                    let leavesCar =
                        garage.carNeeds && !after.values.contains(car) && wish.driver == driver
                    if takesCar || leavesCar {
                        isRefused[place] = true
                        hasChanged = true
                    }
                }
            }
        }
    }

    private static func wish(_ row: RowValues) -> Wish {
        let number = Int(row.reference.id.dropFirst()) ?? 0
        var other: Int?
        if case .reference(let id)?? = row.values.last { other = Int(id.dropFirst()) }
        return row.reference.model == "driver"
            ? Wish(driver: number, car: other) : Wish(driver: other, car: number)
    }

    private static func apply(_ wishes: [Wish], _ before: [Int: Int]) -> [Int: Int] {
        var after = before
        for wish in wishes {
            if let driver = wish.driver { after[driver] = nil }
            if let car = wish.car { after = after.filter { $0.value != car } }
        }
        for wish in wishes {
            if let driver = wish.driver, let car = wish.car { after[driver] = car }
        }
        return after
    }
}
