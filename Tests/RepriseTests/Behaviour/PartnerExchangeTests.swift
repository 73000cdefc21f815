import Reprise
import TestSupport
import Testing

/// Rows that take each other's partners (STO-48), where both sides agree afterwards (REL-07) and nobody who must have a
/// partner is without one (REL-04).
@Suite struct PartnerExchangeTests {
    @Test(arguments: [2, 3, 7]) func `rows go round with their partners`(count: Int) throws {
        let garage = try Garage(driverNeeds: true)
        try garage.insert(cars: count, drivers: count)
        let before = try garage.store.read { ($0.head, $0.digest) }
        let rows = (0..<count).map { garage.driver($0, car: ($0 + 1) % count) }
        #expect(try garage.update(rows).allSatisfy { $0 == nil })
        for number in 0..<count {
            #expect(try garage.car(ofDriver: number) == (number + 1) % count)
        }
        let after = try garage.store.read { ($0.head, $0.digest) }
        // One event for each row, and one for each partner.
        #expect(after.0.rawValue == before.0.rawValue + UInt64(2 * count))
        try garage.store.rollback(to: .position(before.0))
        #expect(try garage.store.read { $0.digest } == before.1)
        try garage.store.rollback(to: .position(after.0))
        try garage.store.replay()
        #expect(try garage.store.read { $0.digest } == after.1)
        #expect(try garage.store.verify().isSound)
    }

    @Test func `a row that waits for one that keeps its partner stays`() throws {
        let garage = try Garage(driverNeeds: true)
        try garage.insert(cars: 5, drivers: 4)
        // The third wants a car that is not there, so the second has to keep its own, and the first, too.
        let rows = [
            garage.driver(0, car: 1), garage.driver(1, car: 2), garage.driver(2, car: 9),
            garage.driver(3, car: 4),
        ]
        let refusals = try garage.update(rows)
        #expect(refusals.map { $0?.code } == [.invalidValue, .invalidValue, .targetMissing, nil])
        #expect(
            refusals[0]?.cause
                == .partnerNeeded(attribute: "car", existing: garage.driverReference(1))
        )
        #expect(try (0..<4).map { try garage.car(ofDriver: $0) } == [0, 1, 2, 4])
        // Where it does not need one, it loses it.
        let lenient = try Garage()
        try lenient.insert(cars: 3, drivers: 3)
        let both = [lenient.driver(0, car: 1), lenient.driver(1, car: 9)]
        #expect(try lenient.update(both).map { $0?.code } == [nil, .targetMissing])
        #expect(try (0..<3).map { try lenient.car(ofDriver: $0) } == [1, nil, 2])
    }

    @Test func `whoever is not among them loses its partner, unless it needs one`() throws {
        let garage = try Garage()
        try garage.insert(cars: 3, drivers: 3)
        let taken = try garage.update([garage.driver(0, car: 1), garage.driver(2, car: 0)])
        #expect(taken.allSatisfy { $0 == nil })
        #expect(try (0..<3).map { try garage.car(ofDriver: $0) } == [1, nil, 0])
        let strict = try Garage(driverNeeds: true)
        try strict.insert(cars: 3, drivers: 3)
        let row = strict.driver(0, car: 1)
        let refusals = try strict.update([row, strict.driver(2, car: 0)])
        let alone = try strict.store.read { try $0.refusal(of: row.reference, inOrder: row.values) }
        #expect(refusals[0]?.message == alone?.message)
        #expect(refusals[0]?.cause == alone?.cause)
        #expect(refusals[1]?.code == .invalidValue)
        #expect(try (0..<3).map { try strict.car(ofDriver: $0) } == [0, 1, 2])
        // The same as an update by itself says.
        let error = #expect(throws: StoreError.self) {
            try strict.store.write { try $0.put(row.reference, inOrder: row.values) }
        }
        #expect(error?.message == alone?.message)
    }

    @Test func `who leaves a partner that needs one waits for somebody to take it`() throws {
        let garage = try Garage(carNeeds: true)
        try garage.insert(cars: 2, drivers: 3)
        // The second car's driver goes to the first, whose driver leaves it; nobody takes the second.
        let alone = try garage.update([garage.driver(1, car: 0), garage.driver(0, car: nil)])
        #expect(alone.map { $0?.code } == [.invalidValue, .invalidValue])
        #expect(
            alone[0]?.cause == .partnerNeeded(attribute: "car", existing: garage.carReference(1))
        )
        let rows = [
            garage.driver(1, car: 0), garage.driver(0, car: nil), garage.driver(2, car: 1),
        ]
        #expect(try garage.update(rows).allSatisfy { $0 == nil })
        #expect(try (0..<3).map { try garage.car(ofDriver: $0) } == [nil, 0, 1])
    }

    @Test func `both sides may say it, and the first counts where they disagree`() throws {
        for (driverNeeds, carNeeds) in [(false, false), (true, false), (false, true)] {
            let garage = try Garage(driverNeeds: driverNeeds, carNeeds: carNeeds)
            try garage.insert(cars: 3, drivers: 3)
            let agreed = [
                garage.driver(0, car: 1), garage.car(1, driver: 0), garage.car(0, driver: 1),
            ]
            #expect(try garage.update(agreed).allSatisfy { $0 == nil })
            #expect(try (0..<3).map { try garage.car(ofDriver: $0) } == [1, 0, 2])
            let disputed = [
                garage.car(2, driver: 0), garage.driver(2, car: 1), garage.driver(0, car: 0),
            ]
            let refusals = try garage.update(disputed)
            #expect(refusals.map { $0?.code } == [nil, nil, .invalidValue])
            #expect(
                refusals[2]?.cause
                    == .partnerDecided(attribute: "car", by: garage.carReference(2))
            )
            #expect(try (0..<3).map { try garage.car(ofDriver: $0) } == [2, 0, 1])
        }
    }

    @Test func `of two that want the same partner the first has it`() throws {
        let garage = try Garage(driverNeeds: true)
        try garage.insert(cars: 4, drivers: 3)
        let rows = [garage.driver(0, car: 3), garage.driver(1, car: 3), garage.driver(2, car: 0)]
        let refusals = try garage.update(rows)
        #expect(refusals.map { $0?.code } == [nil, .invalidValue, nil])
        #expect(
            refusals[1]?.cause
                == .partnerDecided(attribute: "car", by: garage.driverReference(0))
        )
        #expect(try (0..<3).map { try garage.car(ofDriver: $0) } == [3, 1, 0])
    }

    @Test func `a row waits for a partner and for a unique value`() throws {
        let garage = try Garage(driverNeeds: true)
        try garage.insert(cars: 4, drivers: 4)
        func row(_ number: Int, car: Int, email: Int) -> RowValues {
            RowValues(garage.driverReference(number), [.string("\(email)"), .reference("c\(car)")])
        }
        // The fourth keeps what the third wants, so the third keeps its car.
        let rows = [row(0, car: 1, email: 1), row(1, car: 2, email: 0), row(2, car: 0, email: 3)]
        let refusals = try garage.update(rows)
        #expect(refusals.map { $0?.code } == [.uniqueViolation, .invalidValue, .uniqueViolation])
        let all = rows + [row(3, car: 3, email: 2)]
        #expect(try garage.update(all).allSatisfy { $0 == nil })
        #expect(try (0..<4).map { try garage.car(ofDriver: $0) } == [1, 2, 0, 3])
    }

    @Test(arguments: [0, 1 << 20]) func `partners change in a bulk load`(memory: Int) throws {
        let garage = try Garage(driverNeeds: true)
        try garage.store.bulkLoad(CommitContext(intent: "load"), memoryByteCount: memory) {
            loader in
            try loader.batch { try garage.insert(cars: 50, drivers: 50, &$0) }
            try loader.batch { transaction in
                let rows = (0..<50).map { garage.driver($0, car: 49 - $0) }
                let refusals = try transaction.update(together: rows)
                #expect(refusals.allSatisfy { $0 == nil })
            }
        }
        let pairs = try garage.pairs()
        #expect((0..<50).allSatisfy { pairs[$0] == 49 - $0 })
        #expect(try garage.store.verify().isSound)
    }

    @Test(arguments: seeds(Array(0..<40)))
    func `partners change as a plain model says`(number: UInt64) throws {
        try seeded(number) { seed in
            let needs = seed.below(3)
            let garage = try Garage(driverNeeds: needs == 1, carNeeds: needs == 2)
            let count = 2 + seed.below(5)
            try garage.insert(
                cars: count + (needs == 2 ? 0 : seed.below(3)),
                drivers: count + (needs == 1 ? 0 : seed.below(3))
            )
            for _ in 0..<12 {
                let before = try garage.pairs()
                let rows = try garage.anyRows(&seed)
                let model = PartnerModel(before, rows, garage)
                let refusals = try garage.update(rows)
                #expect(refusals.map { $0 != nil } == model.isRefused)
                #expect(try garage.pairs() == model.after)
                if rows.count == 1 {
                    let alone = try garage.store.read {
                        try $0.refusal(of: rows[0].reference, inOrder: rows[0].values)
                    }
                    if refusals[0] != nil { #expect(alone?.message == refusals[0]?.message) }
                }
            }
            let digest = try garage.store.read { $0.digest }
            try garage.store.replay()
            #expect(try garage.store.read { $0.digest } == digest)
            #expect(try garage.store.verify().isSound)
        }
    }
}

/// Rows of one model that are each other's partners (STO-48).
@Suite struct OwnPartnerExchangeTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        let schema = SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "seat",
                    version: 1,
                    slotCount: 2,
                    attributes: [
                        .init(slot: 0, name: "twin", type: .reference, isOptional: false),
                        .init(slot: 1, name: "of", type: .reference, isOptional: false),
                    ],
                    indexes: []
                )
            ],
            relations: [
                RelationDescription(
                    number: 1,
                    kind: .pair(sourceSlot: 0, targetSlot: 1),
                    source: .init(model: 1, name: "twin", onDelete: .deny),
                    target: .init(model: 1, name: "of", onDelete: .deny)
                )
            ]
        )
        store = try Store.open(at: directory.path("seats"), schema: Schema(schema))
        // Both sides must have one; everybody begins as its own.
        try store.write { transaction in
            for id in ["a", "b", "c", "d"] {
                try transaction.put(seat(id), inOrder: [.reference(id), .reference(id)])
            }
        }
    }

    private func seat(_ id: String) -> EntityReference { EntityReference(model: "seat", id: id) }

    private func row(_ id: String, twin: String? = nil, of: String? = nil) -> RowValues {
        RowValues(seat(id), [twin.map { .reference($0) }, of.map { .reference($0) }])
    }

    private func twins() throws -> [String] {
        try store.read { state in
            try ["a", "b", "c", "d"].map { id in
                let record = try state.record(model: "seat", id: id)
                guard case .reference(let twin)? = record?["twin"] else { return "" }
                let other = try state.record(model: "seat", id: twin)?["of"]
                #expect(other == .reference(id))
                return twin
            }
        }
    }

    private func update(_ rows: [RowValues]) throws -> [StoreError.Code?] {
        let foreseen = try store.read { try $0.refusals(together: rows) }
        let refusals = try store.write { try $0.update(together: rows) }
        #expect(foreseen.map { $0?.message } == refusals.map { $0?.message })
        #expect(try store.verify().isSound)
        return refusals.map { $0?.code }
    }

    @Test func `a row that contradicts itself is told from one that needs itself`() throws {
        let rows = [row("a", twin: "a", of: "b"), row("c", twin: "d")]
        let refusals = try store.read { try $0.refusals(together: rows) }
        #expect(refusals[0]?.cause == .partnerDecided(attribute: "of", by: seat("a")))
        #expect(refusals[1]?.cause == .partnerNeeded(attribute: "twin", existing: seat("c")))
        #expect(try update(rows) == [.invalidValue, .invalidValue])
    }

    @Test func `rows of one model that all need partners exchange them`() throws {
        #expect(throws: StoreError.self) {
            try store.write { try $0.put(seat("a"), values: ["twin": .reference("b")]) }
        }
        #expect(try update([row("a", twin: "b")]) == [.invalidValue])
        let before = try store.read { ($0.head, $0.digest) }
        #expect(try update([row("a", twin: "b"), row("b", twin: "a")]) == [nil, nil])
        #expect(try twins() == ["b", "a", "c", "d"])
        // A ring that the sides say by turns, with one of the same mind.
        let ring = [row("b", twin: "c"), row("d", of: "c"), row("a", of: "d"), row("c", of: "b")]
        #expect(try update(ring) == [nil, nil, nil, nil])
        #expect(try twins() == ["b", "c", "d", "a"])
        // Back to oneself; of what contradicts that the first counts.
        let back = [
            row("a", twin: "a"), row("b", of: "b"), row("c", of: "c"), row("d", twin: "b"),
        ]
        #expect(try update(back) == [.invalidValue, .invalidValue, .invalidValue, .invalidValue])
        #expect(try update(back.dropLast() + [row("d", twin: "d")]) == [nil, nil, nil, nil])
        #expect(try twins() == ["a", "b", "c", "d"])
        // One row may change both of its sides, but not against each other.
        #expect(try update([row("a", twin: "b", of: "c"), row("b", twin: "c")]) == [nil, nil])
        #expect(try twins() == ["b", "c", "a", "d"])
        #expect(try update([row("a", twin: "a", of: "b")]) == [.invalidValue])
        let digest = try store.read { $0.digest }
        try store.replay()
        #expect(try store.read { $0.digest } == digest)
        try store.rollback(to: .position(before.0))
        #expect(try store.read { $0.digest } == before.1)
    }
}
