import FaultSupport
import Reprise
import Testing

/// Rollbacks over a way that is too long for the memory.
struct FarRollbackTests {
    /// HIS-28
    @Test(arguments: [0, 5, 40])
    func `a rollback that builds the views of then is the one that goes there in memory`(bound: Int) throws {
        let twins = try TwinStores(bound: bound)
        defer { twins.close() }
        var workload = Workload(seed: UInt64(28 + bound), hasHistory: true)
        for _ in 0..<160 {
            let step = workload.next()
            guard case .rollBack(let name) = step else {
                for store in twins.both { try step.run(on: store) }
                continue
            }
            let reports = try twins.both.map { try $0.rollback(to: .snapshot(name)) }
            #expect(reports[0] == reports[1])
            #expect(try twins.areSame())
            #expect(try twins.building.holds(workload.state))
        }
        for store in twins.both { #expect(try store.verify().faults == []) }
        #expect(twins.building.builtStateCount > 5)
        #expect(twins.travelling.builtStateCount == 0)
    }

    @Test func `changes that take too much memory lead to building, however few they are`() throws {
        let twins = try TwinStores(bound: .max, byteCountMax: 2000)
        defer { twins.close() }
        for store in twins.both {
            for number in 0..<50 {
                try store.write { try $0.insert(Item(id: .init("\(number)"), name: "n", code: number)) }
            }
        }
        for target in [45, 3, 52, 20] as [UInt64] {
            let reports = try twins.both.map { try $0.rollback(to: .position(Position(rawValue: target))) }
            #expect(reports[0] == reports[1])
            #expect(try twins.areSame())
        }
        #expect(try twins.building.verify().faults == [])
        #expect(twins.building.builtStateCount == 3)
    }

    /// HIS-22
    @Test func `a long rollback can be rolled back, and one can return among what it left`() throws {
        let twins = try TwinStores()
        defer { twins.close() }
        var workload = Workload(seed: 22)
        var ends: [(head: Position, state: ModelState)] = []
        func note() throws { ends.append((try twins.building.statistics().head, workload.state)) }
        for _ in 0..<40 {
            let step = workload.next()
            for store in twins.both { try step.run(on: store) }
            try note()
        }
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<30 {
            let end = ends[generator.below(ends.count)]
            let reports = try twins.both.map { try $0.rollback(to: .position(end.head)) }
            #expect(reports[0] == reports[1])
            #expect(try twins.building.holds(end.state))
            ends.append((reports[1].head, end.state))
            if generator.below(3) == 0 {
                let name = "kept-\(reports[1].head)"
                for store in twins.both { try store.createSnapshot(named: name) }
            }
        }
        #expect(try twins.areSame())
        #expect(try twins.building.verify().faults == [])
    }

    @Test func `a rollback to the origin, to the head and within the first commit is the same both ways`() throws {
        let twins = try TwinStores()
        defer { twins.close() }
        for store in twins.both {
            try store.write { transaction in
                for number in 0..<9 { try transaction.insert(Item(id: .init("\(number)"), name: "n", code: number)) }
            }
        }
        for position in [nil, 0, 10, 4] as [UInt64?] {
            let point = position.map { Point.position(Position(rawValue: $0)) } ?? .head
            let reports = try twins.both.map { try $0.rollback(to: point) }
            #expect(reports[0] == reports[1])
            #expect(try twins.areSame())
        }
        #expect(try twins.building.verify().faults == [])
    }

    /// HIS-27
    @Test func `what forbids a rollback is found before anything is built`() throws {
        let twins = try TwinStores()
        defer { twins.close() }
        let store = twins.building
        for number in 0..<9 {
            try store.write { try $0.insert(Item(id: .init("\(number)"), name: "n", code: number)) }
        }
        let before = try store.statistics()
        let past = Point.position(Position(rawValue: 3))
        #expect(code { try store.rollback(to: past, expecting: Position(rawValue: 9)) } == .revisionConflict)
        #expect(code { try store.rollback(to: .position(Position(rawValue: 90))) } == .unknownPosition)
        #expect(code { try store.rollback(to: .snapshot("none")) } == .unknownSnapshot)
        let long = CommitContext(actor: String(repeating: "a", count: 2000))
        let refused = code { try store.rollback(to: past, context: long) }
        #expect(refused != nil)
        #expect(refused == code { try twins.travelling.rollback(to: .head, context: long) })
        let after = try store.statistics()
        #expect(after.head == before.head && after.digest == before.digest)
        #expect(try store.rollback(to: past, expecting: before.head).head.rawValue == before.head.rawValue + 1)
        #expect(try store.verify().faults == [])
    }

    @Test func `a live query sees a long rollback`() async throws {
        let twins = try TwinStores()
        defer { twins.close() }
        let store = twins.building
        for number in 0..<9 {
            try await store.write { try $0.insert(Item(id: .init("\(number)"), name: "n", code: number)) }
        }
        var updates = store.observe(FetchDescriptor<Item>()).makeAsyncIterator()
        #expect(try await updates.next()?.results.count == 9)
        try store.rollback(to: .position(Position(rawValue: 4)))
        #expect(try await updates.next()?.results.count == 3)
    }

    @Test func `unique values, references and further writes work on the views that were built`() throws {
        let twins = try TwinStores()
        defer { twins.close() }
        var workload = Workload(seed: 99)
        for _ in 0..<30 {
            let step = workload.next()
            for store in twins.both { try step.run(on: store) }
        }
        let middle = try twins.building.statistics().head
        let then = workload
        for _ in 0..<30 {
            let step = workload.next()
            for store in twins.both { try step.run(on: store) }
        }
        for store in twins.both { try store.rollback(to: .position(middle)) }
        workload = then
        for _ in 0..<60 {
            let step = workload.next()
            for store in twins.both { try step.run(on: store) }
        }
        #expect(try twins.areSame())
        #expect(try twins.building.holds(workload.state))
        #expect(try twins.building.verify().faults == [])
    }
}
