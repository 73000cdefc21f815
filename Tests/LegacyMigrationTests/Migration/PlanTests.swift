import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// What a plan says, and what it leaves behind.
@Suite struct PlanTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "plans")
    }

    /// What is in the directory in which the plans of these tests make their copies.
    private var leftNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
    }

    /// Two that want the same, which nobody has.
    private func rivals() -> InventedCompany {
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", email: "x"), .init(key: "b", name: "B", email: "x"),
        ]
        return company
    }

    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private func plan(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationPlan {
        try TrialStore.$parent.withValue(directory.path) {
            try Migrator(replacing: source, store: library.store).plan(progress: progress)
        }
    }

    @Test(arguments: seeds([24, 36, 39, 56, 57, 58, 69, 70, 95, 163, 170, 227, 290, 374, 643]))
    func `a plan counts and says what the run does`(number: UInt64) throws {
        try seeded(number) { seed in
            var world = InventedWorld(seed: &seed)
            let library = try TemporaryLibrary(schema: Schema(world.schema))
            for _ in 0..<24 { world.change(&seed) }
            if seed.once(in: 3) { for _ in 0..<6 { try world.edit(library, &seed, follows: true) } }
            var marks: [Position] = []
            // Every other world is a calm one, of which most can be foreseen.
            let changeCount = number % 2 == 0 ? 8 : 4
            let editCount = number % 2 == 0 ? 8 : Int(number % 4 / 2)
            for round in 0..<6 {
                if round > 0 {
                    for _ in 0..<seed.below(changeCount) { world.change(&seed) }
                    for _ in 0..<seed.below(editCount + 1) {
                        try world.edit(library, &seed, follows: seed.once(in: 2))
                    }
                }
                if round > 1, number % 2 == 0, seed.once(in: 4), let mark = seed.pickIfAny(marks) {
                    try library.store.rollback(to: .position(mark))
                }
                if round > 0, number % 2 == 0, seed.once(in: 4) {
                    try library.interrupt(world.source, afterStep: 1 + seed.below(9))
                }
                try expectForetold(world.source, library, "in round \(round)")
                marks.append(try library.head)
            }
        }
        #expect(try leftNames == [])
    }

    private func expectForetold(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        _ place: Comment
    ) throws {
        let isFirst = try SourceHistory(of: source.identity, in: library.store).last == nil
        let head = try library.head
        let options = Migrator.Options(replacesEverything: true)
        let migrator = Migrator(source: source, store: library.store, options: options)
        let plan = try TrialStore.$parent.withValue(directory.path) { try migrator.plan() }
        #expect(try library.head == head)
        let report = try migrator.run()
        #expect(plan.isExact)
        #expect(plan.counts == report.counts, place)
        #expect(plan.warningCounts == report.warningCounts, place)
        #expect(plan.agreedCount == report.agreedCount, place)
        // The beginning and the end of a first migration are written even if nothing is in between.
        if isFirst { return }
        let isNothing = plan.writtenCount + plan.agreedCount == 0
        #expect(isNothing == (report.eventCount == 0), place)
    }

    @Test func `two new rows that want the same`() throws {
        let library = try library()
        let plan = try plan(rivals().source, library)
        #expect(plan.isExact)
        #expect(plan.counts["person"]?.inserted == 1)
        #expect(plan.warningCounts == [.uniqueValueTaken: 1])
        #expect(try library.head == Position(rawValue: 1))
        #expect(try leftNames == [])
        let report = try library.migrate(rivals().source)
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts == plan.warningCounts)
    }

    @Test func `no copy is made where nothing is in doubt`() throws {
        let library = try library()
        var company = rivals()
        company.people[1].email = "y"
        _ = try library.migrate(company.source)
        company.people[0].name = "B"
        company.people.append(.init(key: "c", name: "C", email: "z"))
        // There is no such directory, so that no copy could be made.
        let plan = try TrialStore.$parent.withValue(directory.path("absent")) {
            try Migrator(replacing: company.source, store: library.store).plan()
        }
        #expect(plan.isExact)
        #expect(plan.counts["person"]?.updated == 1)
        #expect(plan.counts["person"]?.inserted == 1)
    }

    @Test func `a plan can be cancelled at every step and leaves nothing`() throws {
        let library = try library()
        let head = try library.head
        var phases: Set<MigrationProgress.Phase> = []
        var stepCount = 0
        _ = try plan(rivals().source, library) { step in
            phases.insert(step.phase)
            stepCount += 1
            return true
        }
        #expect(phases == [.reading])
        #expect(stepCount > 0)
        for last in 1...stepCount {
            var count = 0
            let error = #expect(throws: MigrationError.self) {
                try plan(rivals().source, library) { _ in
                    count += 1
                    return count < last
                }
            }
            #expect(error?.code == .cancelled)
            #expect(try leftNames == [])
        }
        #expect(try library.head == head)
    }

    @Test func `others write to the store while a plan reads the export`() throws {
        let library = try library()
        let store = library.store
        var count = 0
        let plan = try plan(rivals().source, library) { _ in
            count += 1
            let number = count
            let written = DispatchSemaphore(value: 0)
            Thread {
                _ = try? store.write {
                    let row = EntityReference(model: "department", id: "d\(number)")
                    try $0.put(row, values: ["name": .string("D")])
                }
                written.signal()
            }.start()
            written.wait()
            return true
        }
        #expect(plan.counts["person"]?.inserted == 1)
        #expect(try library.ids(of: "department").count == count)
    }

    @Test func `what would be overwritten is said as what would be`() throws {
        let library = try library()
        var company = rivals()
        company.people.removeLast()
        _ = try library.migrate(company.source)
        let row = EntityReference(model: "person", id: "a")
        try library.write { try $0.put(row, values: ["name": .string("here")]) }
        company.people[0].name = "there"
        let plan = try plan(company.source, library)
        #expect(plan.warningCounts == [.localChangeOverwritten: 1])
        #expect(plan.warnings.first?.message.hasSuffix("it would be overwritten.") == true)
    }
}
