import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords

/// What is remembered in an order: identifiers, the members of lists, to-ones that wait.
struct RememberedOrderTests {
    private static let byteCounts = RecordMemoryTests.byteCounts

    /// Of all forms and lengths.
    private func identifier(_ random: inout TestSupport.SeededGenerator) -> String {
        let number = random.below(200)
        return switch random.below(5) {
        case 0, 1: InventedLibrary.key(number)
        case 2: "\(number)"
        case 3: "ключ-\(number)-\(String(repeating: "x", count: random.below(300)))"
        default: ["", "0000000000000000", "a\u{0}b"][random.below(3)]
        }
    }

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `identifiers come back as they were given`(byteCount: Int, seed: UInt64) throws {
        try seeded(seed) { random in
            let memory = RecordMemory(byteCountMax: byteCount)
            let identifiers = RememberedIdentifiers(in: memory)
            var model: [String] = []
            for _ in 0..<2000 {
                model.append(identifier(&random))
                try identifiers.append(RecordKey(model[model.count - 1]))
            }
            #expect(identifiers.count == model.count)
            let found = try model.indices.map { try identifiers.key(at: $0).text }
            #expect(found == model)
            #expect(memory.byteCountPeak <= byteCount)
        }
    }

    /// Grouping itself may be what there is no room for.
    @Test(arguments: byteCounts + [60_000, 70_000, 80_000, 90_000], [1, 2, 3] as [UInt64])
    func `lists come in the order in which their owners were named, with their members in order`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        try seeded(seed) { random in
            let memory = RecordMemory(byteCountMax: byteCount)
            let orders = WantedOrders(in: memory)
            var owners: [String] = []
            var members: [String: [String]] = [:]
            for step in 1...2000 {
                let owner = identifier(&random)
                let member = identifier(&random)
                if members[owner] == nil { owners.append(owner) }
                members[owner, default: []].append(member)
                try orders.append(member, to: owner)
                // Asked now and then, and twice at the end.
                guard step % 1000 == 0 || step == 2000 || random.once(in: 700) else { continue }
                let lists = try orders.grouped()
                let indices = 0..<lists.count
                #expect(try indices.map { try lists.owner(at: $0) } == owners)
                #expect(
                    try indices.map { try lists.members(at: $0) } == owners.map { members[$0] }
                )
            }
            #expect(memory.byteCountPeak <= byteCount)
        }
    }
}
