import RepriseLog
import TestSupport
import Testing

@testable import Reprise

/// Events that a rollback took back, whatever they are.
struct DeadEventTests {
    @Test func `a dead event of a version that is not known is passed over, a live one refused`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        try store.write { try $0.insert(Box(id: .init("1"))) }
        let (head, digest) = try store.read { ($0.head.rawValue, $0.digest) }
        let model = try store.read { try $0.access.model(named: "box").number }
        try store.writer.perform {
            try store.commit(CommitContext()) { session in
                _ = try unsafe Array("1".utf8).withUnsafeBytes { id in
                    try unsafe session.builder.append(
                        type: .updated,
                        version: 2,
                        model: model,
                        id: id,
                        previous: head,
                        cause: 0
                    ) { $0.varint(0) }
                }
            }
        }
        #expect(code { try store.replay() } == .newerFormat)
        try store.writer.perform {
            try store.commit(CommitContext()) { session in
                _ = try session.record(.rolledBack) { $0.varint(head) }
            }
        }
        #expect(try store.replay().digest == digest)
        #expect(try store.verify().faults == [])
    }

    /// HIS-45
    @Test func `an event of an unknown type is passed over, one of an unknown version is not`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        try store.write { try $0.insert(Box(id: .init("1"))) }
        let (past, digest) = try store.read { ($0.head, $0.digest) }
        let model = try store.read { try $0.access.model(named: "box").number }
        func append(_ type: UInt8, version: UInt32) throws {
            try store.writer.perform {
                try store.commit(CommitContext()) { session in
                    _ = try unsafe Array("1".utf8).withUnsafeBytes { id in
                        try unsafe session.builder.append(
                            type: EventType(rawValue: type),
                            version: version,
                            model: model,
                            id: id,
                            previous: past.rawValue,
                            cause: 0
                        ) { $0.varint(0) }
                    }
                }
            }
        }
        for type: UInt8 in [7, 15, 21, 200] { try append(type, version: 1) }
        for type: UInt8 in [7, 17, 18, 20, 200] { try append(type, version: 2) }
        #expect(try store.replay().digest == digest)
        #expect(try store.verify().faults == [])
        #expect(try store.read(asOf: .position(past)) { $0.digest } == digest)
        let before = try store.rollback(to: .position(past)).head

        try append(2, version: 2)
        #expect(code { try store.replay() } == .newerFormat)
        #expect(code { try store.verify() } == .newerFormat)
        #expect(code { try store.replay(into: directory.path("copy")) } == .newerFormat)
        #expect(code { try store.read(asOf: .position(before)) { $0.digest } } == .newerFormat)
        #expect(code { try store.rollback(to: .position(before)) } == .newerFormat)
        // It is kept, and the present goes on.
        try store.write { try $0.insert(Box(id: .init("2"))) }
        var types: [String] = []
        try store.read { state in
            try state.forEachCommit { commit in
                types += commit.events.map(\.type)
                return true
            }
        }
        #expect(types.suffix(2) == ["updated", "inserted"])
    }

    @Test func `labels survive a rebuild, of several the last one, and those taken away do not`()
        throws
    {
        let directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"), schema: ReviewStore.schema)
        defer { store.close() }
        let before = try store.read { $0.head }
        for round in 0..<4 {
            try store.write { transaction in
                try transaction.insert(Box(id: .init("\(round)")))
                for number in 0..<4 {
                    try transaction.annotate(
                        name: "note",
                        key: "\(number)",
                        payload: [UInt8](repeating: UInt8(round), count: 100_000)
                    )
                }
                try transaction.annotate(name: "empty", key: "", payload: [])
            }
            try store.createSnapshot(named: "kept-\(round)")
            try store.createSnapshot(named: "gone")
            try store.deleteSnapshot(named: "gone")
        }
        try store.rollback(to: .position(before))
        try store.replay(memoryByteCount: 1)
        #expect(try store.verify().faults == [])
        let notes = try store.read { try $0.annotations(named: "note") }
        #expect(notes.map(\.payload.first) == [3, 3, 3, 3])
    }
}
