import Reprise
import Testing

/// Of several rows that are updated together and want the same, or something else of the same partner, the first counts
/// (STO-48).
@Suite struct FirstComerTests {
    /// Four drivers of the first four of six cars, whose e-mail addresses are their numbers.
    private func garage() throws -> Garage {
        let garage = try Garage()
        try garage.insert(cars: 6, drivers: 4)
        return garage
    }

    private func driver(_ number: Int, email: Value?, car: Value?, _ garage: Garage) -> RowValues {
        RowValues(garage.driverReference(number), [email, car])
    }

    private func codes(_ rows: [RowValues], _ garage: Garage) throws -> [StoreError.Code?] {
        try garage.update(rows).map { $0?.code }
    }

    private func cars(_ garage: Garage) throws -> [Int?] {
        try (0..<4).map { try garage.car(ofDriver: $0) }
    }

    @Test func `a row that is refused because of one outside counts all the same`() throws {
        let garage = try garage()
        // The fourth driver, whose address the first wants, is not among them.
        let refused = driver(0, email: .string("3"), car: .reference("c5"), garage)
        let other = driver(1, email: nil, car: .reference("c5"), garage)
        #expect(try codes([refused, other], garage) == [.uniqueViolation, .invalidValue])
        #expect(try cars(garage) == [0, 1, 2, 3])
        #expect(try codes([other, refused], garage) == [nil, .uniqueViolation])
        #expect(try cars(garage) == [0, 5, 2, 3])
    }

    @Test func `a row whose target is missing counts for what else it wants`() throws {
        let garage = try garage()
        let refused = driver(0, email: .string("new"), car: .reference("c9"), garage)
        let other = driver(1, email: .string("new"), car: nil, garage)
        let refusals = try garage.update([refused, other])
        #expect(refusals.map { $0?.code } == [.targetMissing, .uniqueViolation])
        #expect(
            refusals[1]?.cause
                == .uniqueViolation(attributes: ["email"], existing: garage.driverReference(0))
        )
        #expect(try codes([other, refused], garage) == [nil, .targetMissing])
    }

    @Test func `a row that waits in vain counts all the same`() throws {
        let garage = try garage()
        // The second wants what one outside has, so it keeps what the first waits for.
        let waiting = driver(0, email: .string("1"), car: .reference("c5"), garage)
        let keeping = driver(1, email: .string("3"), car: nil, garage)
        let other = driver(2, email: nil, car: .reference("c5"), garage)
        #expect(
            try codes([waiting, keeping, other], garage)
                == [.uniqueViolation, .uniqueViolation, .invalidValue]
        )
        #expect(
            try codes([other, keeping, waiting], garage) == [nil, .uniqueViolation, .invalidValue]
        )
    }

    @Test func `a row that is refused over one partner counts for the other one`() throws {
        let garage = try garage()
        let rows = [
            garage.driver(0, car: 4), garage.car(4, driver: 1), garage.driver(1, car: 5),
        ]
        #expect(try codes(rows, garage) == [nil, .invalidValue, .invalidValue])
        #expect(try cars(garage) == [4, 1, 2, 3])
    }

    @Test func `what cannot be stored, or is not there, does not count`() throws {
        let garage = try garage()
        let bad = driver(0, email: .int(1), car: .reference("c5"), garage)
        let absent = driver(9, email: .string("new"), car: .reference("c5"), garage)
        let other = driver(1, email: .string("new"), car: .reference("c5"), garage)
        #expect(try codes([bad, absent, other], garage) == [.invalidValue, .entityMissing, nil])
        #expect(try cars(garage) == [0, 5, 2, 3])
    }

    @Test func `a partner that a row has and is given counts like one that it gets`() throws {
        let garage = try garage()
        let kept = garage.car(1, driver: 1)
        let taking = garage.driver(0, car: 1)
        #expect(try codes([kept, taking], garage) == [nil, .invalidValue])
        #expect(try cars(garage) == [0, 1, 2, 3])
        let refusals = try garage.update([taking, kept])
        #expect(refusals.map { $0?.code } == [nil, .invalidValue])
        #expect(try cars(garage) == [1, nil, 2, 3])
        // So does that there is none.
        let alone = garage.car(4, driver: nil)
        #expect(try codes([alone, garage.driver(1, car: 4)], garage) == [nil, .invalidValue])
        #expect(try codes([garage.driver(1, car: 4), alone], garage) == [nil, .invalidValue])
        #expect(try cars(garage) == [1, 4, 2, 3])
    }

    @Test func `a partner that a row has and is not given may be taken from it`() throws {
        let garage = try garage()
        let silent = RowValues(garage.carReference(1), [nil])
        let renamed = driver(1, email: .string("new"), car: nil, garage)
        #expect(try codes([silent, renamed, garage.driver(0, car: 1)], garage) == [nil, nil, nil])
        #expect(try cars(garage) == [1, nil, 2, 3])
    }

    @Test func `a row that changes something else keeps the partner that it is given`() throws {
        let garage = try garage()
        let renamed = driver(1, email: .string("new"), car: .reference("c1"), garage)
        #expect(try codes([renamed, garage.car(1, driver: 0)], garage) == [nil, .invalidValue])
        #expect(try cars(garage) == [0, 1, 2, 3])
        let email = try garage.store.read { try $0.record(model: "driver", id: "d1")?["email"] }
        #expect(email == .string("new"))
    }
}
