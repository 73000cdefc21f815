import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The same operations once as ordinary writes and once as batches of bulk loads: log and views must be the same.
struct BulkLoadTwinTests {
    private struct Abandoned: Error {}

    private static func open(_ path: String) throws -> Store {
        try Store.open(
            at: path,
            schema: ReviewStore.schema,
            configuration: .init(now: { Date(timeIntervalSince1970: 1_700_000_000) })
        )
    }

    /// A few random operations; what the rules refuse is passed over.
    private static func operate(
        _ transaction: inout WriteTransaction,
        _ generator: inout SeededGenerator
    ) throws {
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            let id = "\(Int.random(in: 0..<8, using: &generator))"
            let other = "\(Int.random(in: 0..<8, using: &generator))"
            let dice = Int.random(in: 0..<14, using: &generator)
            let pick = Int.random(in: 0..<1000, using: &generator)
            do {
                switch dice {
                case 0: try transaction.insert(Rack(id: .init(id), name: "n\(pick % 5)"))
                case 1:
                    try transaction.insert(
                        Volume(id: .init(id), title: "t\(pick % 3)", box: .init(other))
                    )
                case 2: try transaction.insert(Box(id: .init(id)))
                case 3:
                    try transaction.insert(Ring(id: .init(id), next: .init(other), previous: nil))
                case 4: try transaction.insert(Ring(id: .init(id)))
                case 5:
                    try transaction.update(Ring.self, id: .init(id)) { $0.previous = .init(other) }
                case 6:
                    let name = pick % 7 == 0 ? nil : "n\(pick % 5)"
                    try transaction.update(Rack.self, id: .init(id)) { $0.name = name }
                case 7:
                    try transaction.update(Volume.self, id: .init(id)) { $0.title = "t\(pick % 3)" }
                case 8, 9:
                    let entries = try transaction.entries(Rack.volumes, of: .init(id))
                    let anchor = entries.isEmpty ? nil : entries[pick % entries.count].id
                    try transaction.link(
                        Rack.volumes,
                        from: .init(id),
                        to: .init(other),
                        at: anchor.map { .before($0) } ?? .last
                    )
                case 10:
                    let entries = try transaction.entries(Rack.volumes, of: .init(id))
                    if entries.count > 1 {
                        try transaction.move(
                            Rack.volumes,
                            entry: entries[pick % entries.count].id,
                            of: .init(id),
                            to: .after(entries[pick / 7 % entries.count].id)
                        )
                    }
                case 11:
                    try transaction.link(
                        Box.contents,
                        from: .init(id),
                        to: .init(other),
                        at: .first
                    )
                case 12:
                    let entries = try transaction.entries(Rack.volumes, of: .init(id))
                    if let entry = entries.last {
                        try transaction.unlink(Rack.volumes, entry: entry.id, of: .init(id))
                    }
                default:
                    switch pick % 4 {
                    case 0: try transaction.delete(Rack.self, id: .init(id))
                    case 1: try transaction.delete(Volume.self, id: .init(id))
                    case 2: try transaction.delete(Box.self, id: .init(id))
                    default: try transaction.delete(Ring.self, id: .init(id))
                    }
                }
            } catch let error as StoreError {
                switch error.code {
                case .entityExists, .entityMissing, .targetMissing, .uniqueViolation: continue
                default: throw error
                }
            }
        }
    }

    /// All there is, without the places in lists: which key an appended entry gets depends on whether a transaction
    /// still remembers the entry that it took from the end.
    private static func visible(_ store: Store) throws -> [String] {
        try store.read { transaction in
            var lines: [String] = []
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

    private static func isAsked(_ generator: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<4, using: &generator) == 0
    }

    @Test(arguments: 1...12)
    func `a bulk load leaves what ordinary writes leave`(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let plain = try Self.open(directory.path("plain"))
        let bulk = try Self.open(directory.path("bulk"))
        var plan = SeededGenerator(seed: seed)
        for _ in 0..<6 {
            let size = [0, 3000, 96 << 20].randomElement(using: &plan) ?? 0
            try bulk.bulkLoad(memoryByteCount: size) { loader in
                for _ in 0..<15 {
                    let kind = Int.random(in: 0..<8, using: &plan)
                    let dice = plan
                    plan = SeededGenerator(seed: UInt64.random(in: 0 ... .max, using: &plan))
                    switch kind {
                    case 0:
                        try? loader.batch { transaction in
                            var generator = dice
                            try Self.operate(&transaction, &generator)
                            if Self.isAsked(&generator) {
                                _ = try transaction.count(FetchDescriptor<Volume>())
                            }
                            throw Abandoned()
                        }
                    case 1: try loader.batch { _ in }
                    case 2: try loader.publish()
                    default:
                        try plain.write(CommitContext(intent: "twin")) { transaction in
                            try transaction.checkRulesAtOnce()
                            var generator = dice
                            try Self.operate(&transaction, &generator)
                            try Self.operate(&transaction, &generator)
                        }
                        try loader.batch(CommitContext(intent: "twin")) { transaction in
                            var generator = dice
                            try Self.operate(&transaction, &generator)
                            if kind == 3 {
                                _ = try transaction.fetch(
                                    FetchDescriptor<Volume>().sorted(by: \.title)
                                )
                            }
                            try Self.operate(&transaction, &generator)
                        }
                    }
                }
            }
            let left = try plain.statistics()
            let right = try bulk.statistics()
            #expect(left.head == right.head)
            #expect(left.counts.map(\.count) == right.counts.map(\.count))
            // Going back, and on from there, in both.
            let point = Point.position(
                Position(rawValue: UInt64.random(in: 0...left.head.rawValue, using: &plan))
            )
            #expect(try plain.rollback(to: point).to == bulk.rollback(to: point).to)
            #expect(try Self.visible(plain) == Self.visible(bulk))
        }
        #expect(try plain.verify().faults == [])
        #expect(try bulk.verify().faults == [])
    }
}
