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
}
