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

    @Test(arguments: byteCounts, [1, 2, 3] as [UInt64])
    func `references that wait come back in their order, and in that of the records`(
        byteCount: Int,
        seed: UInt64
    ) throws {
        try seeded(seed) { random in
            let memory = RecordMemory(byteCountMax: byteCount)
            let references = LateReferences(in: memory)
            var model: [LateReference] = []
            for number in 0..<1000 {
                let place = random.below(3)
                let reference = LateReference(
                    row: EntityReference(
                        model: random.pick(["person", "team"]),
                        id: identifier(&random)
                    ),
                    // Most come in the order of their records, some of them tried again.
                    number: random.once(in: 4) ? random.below(number + 1) : number,
                    place: place,
                    name: "n\(place)",
                    targetModel: "person",
                    target: identifier(&random)
                )
                model.append(reference)
                try references.append(reference)
            }
            #expect(references.count == model.count)
            try expect(references.walk(.asNoted), model)
            try expect(
                references.walk(references.recordOrder()),
                // Two of one record and attribute stay in their order.
                model.enumerated().sorted {
                    ($0.element.number, $0.element.place, $0.offset)
                        < ($1.element.number, $1.element.place, $1.offset)
                }.map(\.element)
            )
            #expect(memory.byteCountPeak <= byteCount)
        }
    }

    private func expect(_ walk: LateReferences.Walk, _ model: [LateReference]) throws {
        var walk = walk
        for (place, expected) in model.enumerated() {
            let found = try #require(try walk.next())
            let isSame =
                found.row == expected.row && found.place == expected.place
                && found.number == expected.number && found.name == expected.name
                && found.targetModel == expected.targetModel && found.target == expected.target
            #expect(isSame, "\(place)")
        }
        #expect(try walk.next() == nil)
    }
}
