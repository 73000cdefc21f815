import Reprise
import TestSupport
import Testing

/// What has led to a state, and what was deleted on the way.
@Suite struct LiveHistoryTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "song", [("title", .string, true)]),
            ModelDescription(2, "album", [("name", .string, true)]),
        ],
        relations: []
    )

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store.open(at: directory.path("songs"), schema: Schema(Self.schema))
    }

    private func song(_ id: String) -> EntityReference { EntityReference(model: "song", id: id) }

    @discardableResult
    private func put(_ id: String, _ title: String = "") throws -> Position {
        _ = try store.write { try $0.put(song(id), values: ["title": .string(title)]) }
        return try store.read { $0.head }
    }

    private func ranges(asOf point: Point = .head) throws -> [ClosedRange<Position>] {
        try store.read(asOf: point) { try $0.liveRanges() }
    }

    // MARK: HIS-46

    @Test func `all of a log has led to the present where nobody has gone back`() throws {
        let last = try put("a")
        #expect(try ranges() == [Position(rawValue: 1)...last])
    }

    @Test func `what a rollback took back has not, until that is taken back`() throws {
        let first = Position(rawValue: 1)
        let kept = try put("a")
        let dead = try put("b")
        try store.rollback(to: .position(kept))
        let after = try put("c")
        #expect(try ranges() == [first...kept, after...after])
        #expect(try ranges(asOf: .position(dead)) == [first...dead])
        try store.rollback(to: .position(dead))
        let last = try put("d")
        #expect(try ranges() == [first...dead, last...last])
    }

    // MARK: STO-55

    private func deletions(
        of model: String = "song",
        asOf point: Point = .head
    ) throws -> [String] {
        try store.read(asOf: point) { state in
            var found: [(row: EntityReference, position: Position)] = []
            try state.forEachDeletion(of: model) { row, position in
                found.append((row, position))
                return true
            }
            for (row, position) in found {
                let deletion = try state.deletion(of: row)
                #expect(deletion == position)
            }
            return found.map(\.row.id).sorted()
        }
    }

    @Test func `rows that were deleted and are not there are told, those of one model`() throws {
        for id in ["a", "b", "c", "\u{0}d"] { try put(id) }
        let album = EntityReference(model: "album", id: "a")
        _ = try store.write { try $0.put(album, values: ["name": .string("A")]) }
        let whole = try store.read { $0.head }
        try store.write { transaction in
            for id in ["a", "b", "\u{0}d"] { _ = try transaction.delete(song(id)) }
            _ = try transaction.delete(album)
        }
        let less = try store.read { $0.head }
        try put("b")
        #expect(try deletions() == ["\u{0}d", "a"])
        #expect(try deletions(of: "album") == ["a"])
        // As it was, and as it is again.
        #expect(try deletions(asOf: .position(less)) == ["\u{0}d", "a", "b"])
        #expect(try deletions(asOf: .position(whole)) == [])
        try store.rollback(to: .position(whole))
        #expect(try deletions() == [])
        #expect(throws: StoreError.self) { try deletions(of: "nothing") }
    }

    @Test(arguments: seeds(Array(0..<20)))
    func `they are those that are not there and once were`(number: UInt64) throws {
        try seeded(number) { seed in
            var states: [(Position, [String])] = [(.origin, [])]
            var gone: Set<String> = []
            for _ in 0..<60 {
                let id = "\(seed.below(12))"
                let isThere = try store.read { try $0.revision(of: song(id)) != nil }
                if isThere, seed.once(in: 2) {
                    try store.write { _ = try $0.delete(song(id)) }
                    gone.insert(id)
                } else if seed.once(in: 12), let state = seed.pickIfAny(states) {
                    try store.rollback(to: .position(state.0))
                    gone = Set(state.1)
                } else {
                    try put(id, "\(seed.below(5))")
                    gone.remove(id)
                }
                #expect(try deletions() == gone.sorted())
                states.append((try store.read { $0.head }, gone.sorted()))
            }
            for (position, gone) in states.dropFirst() {
                #expect(try deletions(asOf: .position(position)) == gone)
            }
        }
    }
}
