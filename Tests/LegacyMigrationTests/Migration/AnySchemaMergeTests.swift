import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports of any schema, merged with what somebody has done in the store meanwhile: with to-ones that may not be
/// empty, one-to-ones, lists, what must be unique, rows that are refused, and rollbacks in between.
@Suite struct AnySchemaMergeTests {
    /// What the source said last of each row's first attribute, as far as it had such a row.
    private typealias Said = [String: Value]

    @Test(arguments: seeds([0, 7, 29, 34, 58, 119, 227]))
    func `exports are merged with what was done here, cancelled before or not`(number: UInt64) throws {
        try seeded(number) { seed in
            var world = InventedWorld(seed: &seed)
            let library = try TemporaryLibrary(schema: Schema(world.schema))
            for _ in 0..<24 { world.change(&seed) }
            if seed.once(in: 3) { for _ in 0..<6 { try world.edit(library, &seed, follows: true) } }
            var said: Said = [:]
            var marks: [(head: Position, said: Said)] = []
            for round in 0..<6 {
                // A first migration is made even if there is nothing to write.
                let isPlanned = round > 0 && !seed.once(in: 3)
                if round > 0 { try change(&world, library, &seed) }
                if round > 1, seed.once(in: 4), let mark = seed.pickIfAny(marks) {
                    try library.store.rollback(to: .position(mark.head))
                    said = mark.said
                    for _ in 0..<seed.below(4) { try world.edit(library, &seed, follows: false) }
                }
                let before = try firsts(in: library, of: world)
                let migrator = Migrator(replacing: world.source, store: library.store)
                let plan = isPlanned ? try migrator.plan() : nil
                let report = try library.expectWholeOrNothing(of: world.source)
                if let plan {
                    let isNothing = plan.writtenCount + plan.agreedCount == 0
                    #expect(isNothing == (report.eventCount == 0), "in round \(round)")
                    #expect(plan.counts == report.counts, "in round \(round)")
                    #expect(plan.warningCounts == report.warningCounts, "in round \(round)")
                }
                said = try expectMerged(world, said, before, report, in: library)
                try expectOnlyOthersWork(world.source, report, in: library)
                #expect(try library.store.verify().isSound)
                for _ in 0..<2 {
                    let again = try library.migrate(world.source)
                    #expect(again.eventCount == 0, "in round \(round)")
                }
                marks.append((try library.head, said))
            }
        }
    }

    private func change(
        _ world: inout InventedWorld,
        _ library: TemporaryLibrary,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        for _ in 0..<seed.below(8) { world.change(&seed) }
        for _ in 0..<seed.below(9) { try world.edit(library, &seed, follows: seed.once(in: 2)) }
    }

    // MARK: What is expected

    /// The first attribute of each row.
    private func firsts(in library: TemporaryLibrary, of world: InventedWorld) throws -> Said {
        try library.store.read { state in
            var found: Said = [:]
            for model in world.models {
                for record in try state.records(RecordQuery(model: model)) {
                    found["\(model) \(record.id)"] = record["s0"]
                }
            }
            return found
        }
    }

    /// What was changed here stays where the source says what it had said; otherwise it is as in the export, or
    /// something is said of the row.
    ///
    /// - Returns: what the source has said now.
    private func expectMerged(
        _ world: InventedWorld,
        _ said: Said,
        _ before: Said,
        _ report: MigrationReport,
        in library: TemporaryLibrary
    ) throws -> Said {
        var saying: Said = [:]
        let after = try firsts(in: library, of: world)
        let words = report.warnings.map(\.message).joined(separator: "\n")
        for row in world.rows {
            let isMentioned = words.contains("\(row.model) \"\(row.key)\"")
            let value = row.values["s0"] ?? .null
            let wanted = said[row.name] == value ? before[row.name] ?? value : value
            #expect(after[row.name] == wanted || isMentioned, "\(row.name)")
            saying[row.name] = after[row.name] == nil ? said[row.name] : value
        }
        return saying
    }

    /// Where nothing is said, the store has all of the export, but for what was changed here.
    private func expectOnlyOthersWork(
        _ source: InventedSource,
        _ report: MigrationReport,
        in library: TemporaryLibrary
    ) throws {
        guard report.warningCounts.isEmpty else { return }
        let found = try MigrationVerifier(source: source, store: library.store).run()
        let others = found.differences.filter { !$0.isChangedHere }
        #expect(others == [])
    }
}
