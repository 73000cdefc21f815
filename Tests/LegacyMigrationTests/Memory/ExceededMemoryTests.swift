import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Whole migrations that have no room, or hardly any, to remember records in.
struct ExceededMemoryTests {
    static let byteCounts = [0, 2000]

    /// What a migration says and leaves, apart from its time.
    struct Result: Equatable {
        let counts: [String: MigrationCounts]
        let warningCounts: [LegacyWarning.Kind: Int]
        let warnings: [String]
        let eventCount: Int
        let digest: String

        init(_ report: MigrationReport) {
            counts = report.counts
            warningCounts = report.warningCounts
            warnings = report.warnings.map(\.message)
            eventCount = report.eventCount
            digest = "\(report.digest)"
        }
    }

    func result(
        _ source: some LegacySource,
        _ library: TemporaryLibrary
    ) throws -> Result {
        let options = Migrator.Options(replacesEverything: true)
        return Result(try Migrator(source: source, store: library.store, options: options).run())
    }

    @Test(arguments: byteCounts, seeds(Array(0..<25)))
    func `any schema and its newer exports lead to the same digest and the same report`(
        byteCount: Int,
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 4)
            let roomy = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
            let tight = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
            for _ in 0..<4 {
                let source = company.source
                let plan = try Migrator(replacing: source, store: roomy.store).plan()
                let expected = try result(source, roomy)
                let verification = try MigrationVerifier(source: source, store: roomy.store).run()
                try RecordMemory.$byteCountMax.withValue(byteCount) {
                    let tightPlan = try Migrator(replacing: source, store: tight.store).plan()
                    #expect(tightPlan.counts == plan.counts)
                    #expect(tightPlan.warnings.map(\.message) == plan.warnings.map(\.message))
                    #expect(try result(source, tight) == expected)
                    let found = try MigrationVerifier(source: source, store: tight.store).run()
                    #expect(found.isEqual == verification.isEqual)
                    #expect(found.recordCounts == verification.recordCounts)
                    #expect(found.entryCount == verification.entryCount)
                    #expect(try result(source, tight).eventCount == 0)
                }
                for _ in 0..<1 + seed.below(12) { company.change(&seed) }
            }
            #expect(try tight.store.verify().isSound)
        }
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `an iTunes library and its newer exports lead to the same digest and the same report`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var library = InventedLibrary(using: &random)
        let roomy = try TemporaryLibrary()
        let tight = try TemporaryLibrary()
        for _ in 0..<4 {
            let expected = Result(try roomy.migrate(library.xml))
            let found = try RecordMemory.$byteCountMax.withValue(byteCount) {
                Result(try tight.migrate(library.xml))
            }
            #expect(found == expected)
            library = library.changed(using: &random)
        }
    }

    @Test(arguments: byteCounts)
    func `a table is read the same`(byteCount: Int) throws {
        let directory = try TemporaryDirectory(named: "exceeded-table")
        let path = directory.path("rows.csv")
        var random = TestSupport.SeededGenerator(seed: 3)
        let rows = (0..<500).map { "key\(random.below(300)),value \($0)" }
        try Data(("id,text\n" + rows.joined(separator: "\n")).utf8).write(to: URL(filePath: path))
        func events() throws -> [String] {
            var events: [String] = []
            let source = try CSVSource(path: path)
            _ = try source.read { event in
                switch event {
                case .record(let record): events.append("\(record.key) \(record.fields)")
                case .warning(let warning): events.append(warning.message)
                case .list, .progress: break
                }
            }
            return events
        }
        let expected = try events()
        #expect(expected.count > 500)
        #expect(try RecordMemory.$byteCountMax.withValue(byteCount) { try events() } == expected)
    }
}
