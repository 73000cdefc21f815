import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords

/// Which of the rows that an export lacks nothing keeps but each other.
@Suite struct CircleTests {
    /// Departments, none of which goes as long as another one leads to it.
    private struct Departments {
        let library: TemporaryLibrary
        let memory: RecordMemory
        let pass: MigrationPass

        init(rememberedByteCountMax: Int) throws {
            var schema = InventedCompany.schema
            schema.relations[2] = RelationDescription(
                number: 3,
                kind: .reference(slot: 1),
                source: .init(model: 2, name: "parent", onDelete: .nullify),
                target: .init(model: 2, name: "children", onDelete: .deny)
            )
            var source = InventedCompany().source
            source.schema = schema
            library = try TemporaryLibrary(for: source)
            let history = try SourceHistory(of: source.identity, in: library.store)
            memory = RecordMemory(byteCountMax: rememberedByteCountMax)
            pass = try MigrationPass(
                source,
                history,
                try SourceShape(of: source, history, in: library.store.schema),
                in: library.store,
                memory: memory
            )
        }

        private func department(_ number: Int) -> EntityReference {
            EntityReference(model: "department", id: "d\(10_000 + number)")
        }

        /// Inserts departments each of which leads to one, or to none.
        func insert(_ parents: [Int?]) throws {
            _ = try library.store.write { transaction in
                for number in parents.indices {
                    let values = ["name": Value.string("D")]
                    try transaction.put(department(number), values: values)
                }
                for (number, parent) in parents.enumerated() {
                    guard let parent else { continue }
                    let values = ["parent": Value.reference(department(parent).id)]
                    try transaction.put(department(number), values: values)
                }
            }
        }

        func circles(among numbers: [Int]) throws -> [Int] {
            let rows = RememberedRows(in: memory)
            for number in numbers { try rows.append(department(number)) }
            let left = try library.store.read { try pass.circles(among: rows, in: $0) }
            return try (0..<left.count).map { index in
                try #require(Int(left.row(at: index).id.dropFirst())) - 10_000
            }
        }

        /// How often what is remembered was put aside for want of room.
        func tableCount() throws -> Int {
            try #require(Int(memory.newTable().name.dropFirst()))
        }
    }

    @Test(arguments: [true, false])
    func `a chain that hangs on a row which stays is looked through a few times only`(
        isForwards: Bool
    ) throws {
        let departments = try Departments(rememberedByteCountMax: 0)
        let count = 1000
        // Each keeps the next one; the first stays.
        try departments.insert((0..<count).map { $0 + 1 < count ? $0 + 1 : nil })
        let chain = Array(1..<count)
        let before = try departments.tableCount()
        #expect(try departments.circles(among: isForwards ? chain : chain.reversed()).isEmpty)
        // Nothing is remembered but in tables, and every look at all the rows makes some.
        #expect(try departments.tableCount() - before < 40)
    }

    @Test(arguments: seeds(Array(0..<20)))
    func `what is left is all that nothing keeps which is not left`(number: UInt64) throws {
        try seeded(number) { seed in
            let departments = try Departments(rememberedByteCountMax: 1 << 20)
            let count = 1 + seed.below(40)
            let parents: [Int?] = (0..<count).map { _ in
                seed.once(in: 6) ? nil : seed.below(count)
            }
            try departments.insert(parents)
            let rows = (0..<count).filter { _ in !seed.once(in: 8) }.shuffled(using: &seed)
            var expected = rows
            while true {
                let left = expected.filter { row in
                    parents.indices.allSatisfy { parents[$0] != row || expected.contains($0) }
                }
                if left.count == expected.count { break }
                expected = left
            }
            #expect(try departments.circles(among: rows) == expected)
        }
    }
}
