import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The same operations once as ordinary writes and once as bulk loads that forget what is in the log, batch after
/// batch: with enough memory for what is known of the forgotten changes, and too little for the changes themselves.
struct DeferralTwinTests {
    /// A quarter of it is for changes, and the tables of keys take three MiB as soon as they hold anything.
    private static let memoryByteCount = 7 << 19

    private static func open(_ path: String) throws -> Store {
        try Store.open(
            at: path,
            schema: ReviewStore.schema,
            configuration: .init(now: { Date(timeIntervalSince1970: 1_700_000_000) })
        )
    }

    private static func title(_ pick: Int) -> String {
        String(repeating: "title \(pick % 7) ", count: pick % 5 == 0 ? 1 : 900)
    }

    private static func name(_ pick: Int) -> String? {
        switch pick % 9 {
        case 0: nil
        // Longer than what an index key holds of it, and than what a table of claims does.
        case 1: String(repeating: "a long name ", count: 40) + "\(pick % 4)"
        default: "name \(pick % 60)"
        }
    }

    /// What a load goes through without the views. What the rules refuse is passed over.
    private static func load(
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator,
        _ refusals: inout [StoreError.Code]
    ) throws {
        for _ in 0..<260 {
            let volume = Volume.ID("\(Int.random(in: 0..<300, using: &generator))\0v")
            let rack = Rack.ID("\(Int.random(in: 0..<60, using: &generator))")
            let box = Box.ID("\(Int.random(in: 0..<30, using: &generator))")
            let ring = Ring.ID("\(Int.random(in: 0..<40, using: &generator))")
            let other = Ring.ID("\(Int.random(in: 0..<40, using: &generator))")
            let pick = Int.random(in: 0..<10_000, using: &generator)
            do {
                switch pick % 13 {
                case 0, 1, 2:
                    try transaction.insert(
                        Volume(id: volume, title: title(pick / 13), box: pick % 4 == 0 ? nil : box)
                    )
                case 3: try transaction.insert(Rack(id: rack, name: name(pick / 13)))
                case 4: try transaction.insert(Box(id: box))
                case 5: try transaction.insert(Ring(id: ring, next: other, previous: nil))
                case 6: try transaction.update(Ring.self, id: ring) { $0.previous = other }
                case 7: try transaction.update(Ring.self, id: ring) { $0.next = nil }
                case 8: try transaction.update(Rack.self, id: rack) { $0.name = name(pick / 13) }
                case 9, 10:
                    try transaction.update(Volume.self, id: volume) { $0.title = title(pick / 13) }
                case 11: try transaction.link(Rack.volumes, from: rack, to: volume)
                default:
                    try transaction.update(Volume.self, id: volume) { $0.box = $0.box ?? box }
                }
            } catch let error as StoreError {
                try note(error, in: &refusals)
            }
        }
    }

    /// What asks for the views.
    private static func disturb(
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator,
        _ refusals: inout [StoreError.Code]
    ) throws {
        for _ in 0..<12 {
            let volume = Volume.ID("\(Int.random(in: 0..<300, using: &generator))\0v")
            let rack = Rack.ID("\(Int.random(in: 0..<60, using: &generator))")
            let box = Box.ID("\(Int.random(in: 0..<30, using: &generator))")
            let ring = Ring.ID("\(Int.random(in: 0..<40, using: &generator))")
            let pick = Int.random(in: 0..<10_000, using: &generator)
            do {
                switch pick % 9 {
                case 0: try transaction.delete(Volume.self, id: volume)
                case 1: try transaction.delete(Rack.self, id: rack)
                case 2: try transaction.delete(Box.self, id: box)
                case 3: try transaction.delete(Ring.self, id: ring)
                case 4: try transaction.update(Volume.self, id: volume) { $0.box = box }
                case 5: try transaction.link(Box.contents, from: box, to: volume, at: .first)
                case 6:
                    if let entry = try transaction.entries(Rack.volumes, of: rack).last {
                        try transaction.unlink(Rack.volumes, entry: entry.id, of: rack)
                    }
                case 7:
                    if let entry = try transaction.entries(Rack.volumes, of: rack).last {
                        try transaction.move(
                            Rack.volumes,
                            entry: entry.id,
                            of: rack,
                            to: .first
                        )
                    }
                default: try transaction.link(Rack.volumes, from: rack, to: volume, at: .first)
                }
            } catch let error as StoreError {
                try note(error, in: &refusals)
            }
        }
    }

    private static func note(_ error: StoreError, in refusals: inout [StoreError.Code]) throws {
        switch error.code {
        case .entityExists, .entityMissing, .targetMissing, .uniqueViolation, .entryMissing:
            refusals.append(error.code)
        default: throw error
        }
    }

    private static func visible(_ store: Store) throws -> [String] {
        try store.read { transaction in
            var lines: [String] = ["\(transaction.digest)"]
            for model in ["rack", "volume", "box", "ring"] {
                for record in try transaction.records(RecordQuery(model: model)) {
                    let versions = "\(record.created) \(record.revision)"
                    lines.append(
                        "\(model) \(record.id) \(versions) \(record.values) \(record.lists)"
                    )
                }
            }
            return lines
        }
    }

    @Test(arguments: 1...6)
    func `a bulk load that forgets its changes leaves what ordinary writes leave`(
        seed: UInt64
    ) throws {
        let directory = try TemporaryDirectory()
        let plain = try Self.open(directory.path("plain"))
        let bulk = try Self.open(directory.path("bulk"))
        var plan = SeededGenerator(seed: seed)
        for _ in 0..<2 {
            // Views that have some of it already.
            let first = plan
            for store in [plain, bulk] {
                var generator = first
                var refusals: [StoreError.Code] = []
                try store.write(CommitContext(intent: "twin")) { transaction in
                    try transaction.checkRulesAtOnce()
                    try Self.load(&transaction, &generator, &refusals)
                    try Self.disturb(&transaction, &generator, &refusals)
                }
            }
            plan = SeededGenerator(seed: UInt64.random(in: 0 ... .max, using: &plan))
            let batchCount = Int.random(in: 6...9, using: &plan)
            try bulk.bulkLoad(memoryByteCount: Self.memoryByteCount) { loader in
                for batch in 0..<batchCount {
                    let dice = SeededGenerator(seed: UInt64.random(in: 0 ... .max, using: &plan))
                    let isDisturbed = batch == batchCount - 2
                    var left: [StoreError.Code] = []
                    var right: [StoreError.Code] = []
                    try plain.write(CommitContext(intent: "twin")) { transaction in
                        try transaction.checkRulesAtOnce()
                        var generator = dice
                        try Self.load(&transaction, &generator, &left)
                        if isDisturbed { try Self.disturb(&transaction, &generator, &left) }
                        try Self.load(&transaction, &generator, &left)
                    }
                    try loader.batch(CommitContext(intent: "twin")) { transaction in
                        var generator = dice
                        try Self.load(&transaction, &generator, &right)
                        if isDisturbed { try Self.disturb(&transaction, &generator, &right) }
                        try Self.load(&transaction, &generator, &right)
                    }
                    #expect(left == right)
                }
            }
            #expect(try plain.statistics().head == bulk.statistics().head)
            #expect(try Self.visible(plain) == Self.visible(bulk))
            #expect(try bulk.verify().faults == [])
        }
        let head = try bulk.statistics().head.rawValue
        let point = Point.position(Position(rawValue: UInt64.random(in: 1...head, using: &plan)))
        try plain.rollback(to: point)
        try bulk.rollback(to: point)
        #expect(try bulk.replay(memoryByteCount: 1).digest == plain.read { $0.digest })
        #expect(try Self.visible(plain) == Self.visible(bulk))
        #expect(try bulk.verify().faults == [])
    }
}
