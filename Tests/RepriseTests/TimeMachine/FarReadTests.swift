import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads of states that are too far for the memory, which are built and kept.
struct FarReadTests {
    /// All that a read of a state can say, in words.
    private static func answers(_ store: Store, at point: Point) throws -> [String] {
        try store.read(asOf: point) { state in
            var lines = ["\(state.position) \(state.head) \(state.digest)"]
            lines += state.counts.map { "\($0.model) \($0.count)" }
            let content = try Content(state)
            lines += content.items.map { "\($0)" } + content.shelves.map { "\($0)" }
            lines += [content.members, content.picks, content.pickers].map { "\($0)" }
            lines += try IndexAnswers(state).answers.map { "\($0)" }
            lines.append("\(try state.liveRanges())")
            for item in content.items.prefix(5) {
                let entity = EntityReference(model: "item", id: item.id.rawValue)
                lines.append("revision \(String(describing: try state.revision(of: item.id)))")
                try state.forEachEvent(of: entity) {
                    lines.append("\($0)")
                    return true
                }
            }
            lines.append("\(String(describing: try state.event(at: state.head)))")
            lines += try state.annotations(named: "note").map { "\($0)" }
            try state.forEachCommit(reversed: true) { commit in
                lines.append(commit.hash)
                return true
            }
            return lines
        }
    }

    /// HIS-80
    @Test(arguments: [0, 20])
    func `a state that was built says all that one says which was met in memory`(bound: Int) throws {
        let twins = try TwinStores(bound: bound)
        defer { twins.close() }
        var workload = Workload(seed: UInt64(80 + bound), hasHistory: true)
        var generator = SeededGenerator(seed: UInt64(80 + bound))
        for number in 0..<100 {
            let step = workload.next()
            for store in twins.both {
                try step.run(on: store)
                if number % 9 == 0 {
                    try store.write {
                        _ = try $0.annotate(name: "note", key: "\(number % 4)", payload: [UInt8(number)])
                    }
                }
            }
            guard number % 4 == 3 else { continue }
            let head = Int(try twins.building.statistics().head.rawValue)
            let point = Point.position(Position(rawValue: UInt64(generator.below(head + 1))))
            #expect(try Self.answers(twins.building, at: point) == Self.answers(twins.travelling, at: point))
        }
        #expect(twins.building.builtStateCount > 5)
        #expect(twins.travelling.builtStateCount == 0)
    }

    /// HIS-81
    @Test func `states that are read one after the other say the same as those that are built`() throws {
        let twins = try TwinStores()
        defer { twins.close() }
        var workload = Workload(seed: 8181, hasHistory: true)
        var generator = SeededGenerator(seed: 8181)
        for _ in 0..<60 {
            let step = workload.next()
            for store in twins.both { try step.run(on: store) }
        }
        let head = Int(try twins.building.statistics().head.rawValue)
        // Also while another read holds the state that was kept.
        for _ in 0..<60 {
            let points = (0..<2).map { _ in Point.position(Position(rawValue: UInt64(generator.below(head + 1)))) }
            let expected = try points.map { try Self.answers(twins.building, at: $0) }
            #expect(try Self.answers(twins.travelling, at: points[0]) == expected[0])
            let inner = try twins.travelling.read(asOf: points[0]) { _ in
                try Self.answers(twins.travelling, at: points[1])
            }
            #expect(inner == expected[1])
        }
        #expect(twins.travelling.builtStateCount == 0)
    }

    private static func filled(_ configuration: Store.Configuration, _ scratch: Scratch) throws -> Store {
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema, configuration: configuration)
        for start in stride(from: 0, to: 1000, by: 10) {
            try store.write { transaction in
                for number in start..<(start + 10) {
                    try transaction.insert(Item(id: .init("\(number)"), name: "n", code: number))
                }
            }
        }
        return store
    }

    private static func count(_ store: Store, _ position: Int) throws -> Int {
        try store.read(asOf: .position(Position(rawValue: UInt64(position)))) {
            try $0.count(FetchDescriptor<Item>())
        }
    }

    /// HIS-81
    @Test func `a second read of a far state, and one near it, begins from the first`() throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: 100), scratch)
        defer { store.close() }
        #expect(try Self.count(store, 501) == 500)
        #expect(store.builtStateCount == 1)
        for position in [501, 601, 411, 405, 501] {
            #expect(try Self.count(store, position) == (position - 1) / 10 * 10)
        }
        #expect(store.builtStateCount == 1)
        // Near the present no other state is needed.
        #expect(try Self.count(store, 951) == 950)
        #expect(store.builtStateCount == 1)
        #expect(try Self.count(store, 101) == 100)
        #expect(store.builtStateCount == 2)
        #expect(try Self.count(store, 201) == 200)
        #expect(store.builtStateCount == 2)
    }

    @Test func `the states that were read last are kept, and commits and rollbacks take nothing from them`() throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: 50), scratch)
        defer { store.close() }
        for position in [101, 301, 501, 101, 701] { _ = try Self.count(store, position) }
        #expect(store.builtStateCount == 4)
        // The state at 301 was used the longest time ago.
        for position in [101, 501, 701] { #expect(try Self.count(store, position) == position - 1) }
        #expect(store.builtStateCount == 4)
        try store.write { _ = try $0.delete(Item.self, id: "5") }
        try store.rollback(to: .position(Position(rawValue: 651)))
        let rolledBack = store.builtStateCount
        for position in [701, 711, 501, 101] {
            #expect(try Self.count(store, position) == position - 1)
        }
        #expect(store.builtStateCount == rolledBack)
        #expect(try Self.count(store, 301) == 300)
        #expect(store.builtStateCount == rolledBack + 1)
    }

    @Test func `changes that take too much memory lead to a state that is built`() throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: .max, byteCountMax: 10_000), scratch)
        defer { store.close() }
        #expect(try Self.count(store, 501) == 500)
        #expect(store.builtStateCount == 1)
        #expect(try Self.count(store, 511) == 510)
        #expect(store.builtStateCount == 1)
        #expect(try Self.count(store, 991) == 990)
        #expect(store.builtStateCount == 1)
        // So do those on the way from the state that was kept last, or from the one that was built.
        #expect(try Self.count(store, 301) == 300)
        #expect(store.builtStateCount == 2)
    }

    @Test func `nothing is left beside the store, neither while it is open nor afterwards`() throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: 0), scratch)
        let names = { try FileManager.default.contentsOfDirectory(atPath: scratch.path) }
        // Of a process that was killed while it built a state (STO-78).
        try FileManager.default.createDirectory(
            atPath: scratch(".reprise-scratch-killed1"),
            withIntermediateDirectories: false
        )
        for position in [101, 301, 501, 701] { _ = try Self.count(store, position) }
        #expect(store.builtStateCount == 4)
        #expect(try names() == ["store"])
        store.close()
        #expect(try names() == ["store"])
        #expect(code { try Self.count(store, 101) } == .closed)
    }

    @Test func `without a place for files the way is gone in memory`() throws {
        let scratch = try Scratch()
        var configuration = TwinStores.configuration(bound: 0)
        configuration.checkpointFolders = [scratch("missing")]
        let store = try Self.filled(configuration, scratch)
        defer { store.close() }
        #expect(try Self.count(store, 501) == 500)
        #expect(try Self.count(store, 101) == 100)
        #expect(store.builtStateCount == 0)
    }

    @Test func `a read of a far state may be inside a write, and one may be inside another`() throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: 0), scratch)
        defer { store.close() }
        try store.write { transaction in
            _ = try transaction.delete(Item.self, id: "7")
            #expect(try Self.count(store, 501) == 500)
        }
        let inner = try store.read(asOf: .position(Position(rawValue: 301))) { outer in
            let inner = try Self.count(store, 201)
            return (try outer.count(FetchDescriptor<Item>()), inner)
        }
        #expect(inner == (300, 200))
    }

    @Test func `threads that read one far state at the same time build it once`() async throws {
        let scratch = try Scratch()
        let store = try Self.filled(TwinStores.configuration(bound: 100), scratch)
        defer { store.close() }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { try Self.count(store, 501 + number * 10) }
            }
            for try await count in group { #expect((500...570).contains(count)) }
        }
        #expect(store.builtStateCount == 1)
    }

    /// HIS-81
    @Test func `reads of a state that is not far build it once they have gone as far as building takes`() throws {
        let scratch = try Scratch()
        var configuration = TwinStores.configuration(bound: .max)
        configuration.shortReadEventCount = 100
        let store = try Self.filled(configuration, scratch)
        defer { store.close() }
        // Each of them goes 400 events back, and the state has 601 before it.
        #expect(try Self.count(store, 601) == 600)
        #expect(store.builtStateCount == 0)
        for number in 0..<3 {
            // The state that the last read came to is of use until the next commit.
            for _ in 0..<10 { #expect(try Self.count(store, 601) == 600) }
            try store.write { try $0.insert(Item(id: .init("later \(number)"), name: "n", code: 5000 + number)) }
            #expect(try Self.count(store, 601) == 600)
        }
        #expect(store.builtStateCount == 1)
        // A short way is never worth it.
        for _ in 0..<20 { #expect(try Self.count(store, 921) == 920) }
        #expect(store.builtStateCount == 1)
    }
}
