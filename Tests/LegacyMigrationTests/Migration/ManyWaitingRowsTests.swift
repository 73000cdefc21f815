import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// More rows that wait for each other's unique values than are kept in memory, or updated together.
@Suite struct ManyWaitingRowsTests {
    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    /// People in an order, each with a value that no other one has.
    private func source(_ values: [Int]) -> InventedSource {
        var company = InventedCompany()
        company.people = values.enumerated().map {
            .init(key: "k\($0)", name: "k\($0)", email: "\($1)@x")
        }
        return company.source
    }

    private func migrate(_ values: [Int]) throws -> MigrationReport {
        try Migrator(replacing: source(values), store: library.store).run()
    }

    /// Migrates what a plan foretells, after which the store has what the export has and nothing is left to do.
    private func expectTaken(_ values: [Int]) throws {
        let plan = try Migrator(replacing: source(values), store: library.store).plan()
        let report = try migrate(values)
        #expect(report.warningCounts.isEmpty)
        #expect(report.counts == plan.counts)
        #expect(try MigrationVerifier(source: source(values), store: library.store).run().isEqual)
        #expect(try migrate(values).eventCount == 0)
    }

    @Test func `move up by one, and down again, in one run each`() throws {
        // So many are updated together at most; otherwise ten thousand.
        try PostponedRecords.$bounds.withValue(.init(countMax: 1_000)) {
            let values = Array(0..<2_500)
            _ = try migrate(values)
            try expectTaken(values.map { $0 + 1 })
            try expectTaken(values)
            #expect(try library.store.verify().isSound)
        }
    }

    @Test func `move wherever there is room, in any order`() throws {
        try PostponedRecords.$bounds.withValue(.init(countMax: 3)) {
            try seeded(3) { seed in
                var values = Array(0..<60).shuffled(using: &seed)
                _ = try migrate(values)
                for _ in 0..<8 {
                    // One chain through all of them, to a value that nobody has.
                    let chain = values.indices.shuffled(using: &seed)
                    let free = (0...60).first { !values.contains($0) } ?? 60
                    let next = chain.dropFirst().map { values[$0] } + [free]
                    for (place, value) in zip(chain, next) { values[place] = value }
                    try expectTaken(values)
                }
            }
        }
    }

    @Test func `go round in rings that are not too large`() throws {
        try PostponedRecords.$bounds.withValue(.init(countMax: 5)) {
            try seeded(4) { seed in
                var values = Array(0..<60)
                _ = try migrate(values)
                for _ in 0..<6 {
                    var places = values.indices.shuffled(using: &seed)[...]
                    while !places.isEmpty {
                        let ring = places.prefix(1 + seed.below(5))
                        places = places.dropFirst(ring.count)
                        let first = values[ring[ring.startIndex]]
                        for (place, next) in zip(ring, ring.dropFirst()) {
                            values[place] = values[next]
                        }
                        values[ring[ring.endIndex - 1]] = first
                    }
                    try expectTaken(values)
                }
            }
        }
    }

    @Test func `stay where a ring is too large, and so does who waits for one in it`() throws {
        try PostponedRecords.$bounds.withValue(.init(countMax: 4)) {
            _ = try migrate(Array(0..<10))
            // Five go round, the sixth wants what the first has, three more go round, and the last moves.
            let newer = [1, 2, 3, 4, 0, 10, 7, 8, 6, 11]
            let plan = try Migrator(replacing: source(newer), store: library.store).plan()
            let report = try migrate(newer)
            #expect(report.warningCounts == [.uniqueValueTaken: 5])
            #expect(plan.warningCounts == report.warningCounts)
            #expect(plan.counts == report.counts)
            let other = [1, 2, 3, 4, 0, 0, 7, 8, 6, 11]
            #expect(try migrate(other).warningCounts == [.uniqueValueTaken: 6])
            // What cannot be done is not tried again.
            #expect(try migrate(other).eventCount == 0)
        }
    }

    @Test func `go round, however wide they are, as the plan says`() throws {
        // Five of them hold less than a ring may, with what an array takes for each attribute.
        try PostponedRecords.$bounds.withValue(.init(byteCountMax: 5 * 400)) {
            _ = try migrate(Array(0..<5))
            try expectTaken([1, 2, 3, 4, 0])
            _ = try migrate(Array(0..<20))
            // More than that stay.
            let ring = Array(1..<20) + [0]
            let plan = try Migrator(replacing: source(ring), store: library.store).plan()
            #expect(plan.warningCounts == [.uniqueValueTaken: 20])
            #expect(try migrate(ring).eventCount == 0)
        }
    }

    @Test func `need those that come after them, one the next, in one run`() throws {
        try PostponedRecords.$bounds.withValue(.init(countMax: 7)) {
            var schema = InventedCompany.schema
            schema.models[0].attributes[6].isOptional = false
            schema.relations[1].target.onDelete = .deny
            var company = InventedCompany()
            company.people = (0..<400).map {
                .init(key: "k\($0)", name: "k", boss: "k\(min($0 + 1, 399))")
            }
            var source = company.source
            source.schema = schema
            let library = try TemporaryLibrary(schema: Schema(schema))
            let report = try library.migrate(source, batch: 50)
            #expect(report.warningCounts.isEmpty)
            #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
            #expect(try library.migrate(source, batch: 50).eventCount == 0)
        }
    }

    @Test func `need what comes later, in a first migration`() throws {
        try PostponedRecords.$bounds.withValue(.init(countMax: 3)) {
            var schema = InventedCompany.schema
            schema.models[0].attributes[5].isOptional = false
            schema.relations[0].target.onDelete = .deny
            var company = InventedCompany()
            company.departments = [.init(key: "d", name: "d")]
            company.people = (0..<20).map { .init(key: "k\($0)", name: "k", department: "d") }
            var source = company.source
            source.schema = schema
            source.order = ["person", "department"]
            let library = try TemporaryLibrary(schema: Schema(schema))
            try library.expectAllAfterAnyBatch(of: source, batch: 3)
        }
    }
}
