import Foundation
import Reprise
import TestSupport
import Testing

/// Copies of a store in which work is done of which nothing shall stay.
@Suite struct StoreCopyingTests {
    private struct Note: Model {
        var id: ID
        var title: String

        static let schema = ModelSchema(
            "note",
            version: 1,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true)
        )
    }

    private struct Enough: Error {}

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory(named: "copies")
        store = try Store.open(
            at: directory.path("store"),
            schema: Schema(Note.self),
            configuration: .init(actor: "somebody")
        )
    }

    private func copyPath(_ name: String = "copy") throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    private func insert(_ numbers: Range<Int>, into store: Store) throws {
        try store.write { transaction in
            for number in numbers {
                try transaction.insert(Note(id: Note.ID("n\(number)"), title: "\(number)"))
            }
        }
    }

    private func count(_ store: Store) throws -> Int { try store.read { try $0.count(RecordQuery(model: "note")) } }

    @Test(arguments: 0..<4)
    func `a copy has what the last commit left, and goes its own way`(commitCount: Int) throws {
        for commit in 0..<commitCount { try insert(commit * 100..<commit * 100 + 100, into: store) }
        let copy = try store.copy(to: copyPath()) { _, _ in }
        defer { copy.close() }
        #expect(try copy.read { $0.digest } == store.read { $0.digest })
        #expect(try copy.read { $0.head } == store.read { $0.head })
        #expect(try copy.verify().isSound)
        try insert(1000..<1100, into: copy)
        try insert(2000..<2010, into: store)
        try insert(3000..<3100, into: copy)
        #expect(try count(copy) == commitCount * 100 + 200)
        #expect(try count(store) == commitCount * 100 + 10)
        #expect(try copy.verify().isSound)
        #expect(try store.verify().isSound)
        var actors: Set<String> = []
        try copy.read { state in
            try state.forEachCommit(from: Position(rawValue: 1)) {
                actors.insert($0.actor)
                return true
            }
        }
        #expect(actors == ["somebody"])
    }

    @Test func `what is committed while it is copied is not in the copy, and the pages that it has stay`() throws {
        try insert(0..<20_000, into: store)
        let digest = try store.read { $0.digest }
        var round = 0
        let copy = try store.copy(to: copyPath()) { _, _ in
            // No map has to grow for so little.
            round += 1
            try store.write { transaction in
                for number in stride(from: round, to: 20_000, by: 97) {
                    _ = try transaction.delete(EntityReference(model: "note", id: "n\(number)"))
                }
            }
        }
        defer { copy.close() }
        #expect(round > 1)
        #expect(try copy.read { $0.digest } == digest)
        #expect(try count(copy) == 20_000)
        #expect(try copy.verify().isSound)
        #expect(try store.verify().isSound)
    }

    @Test func `copying ends where it is told to`() throws {
        try insert(0..<20_000, into: store)
        #expect(throws: Enough.self) {
            try store.copy(to: copyPath()) { done, byteCount in
                #expect(done <= byteCount)
                throw Enough()
            }
        }
        #expect(try count(store) == 20_000)
        try insert(30_000..<30_010, into: store)
    }

    @Test func `the files of a copy may lose their names while it is open`() throws {
        try insert(0..<1000, into: store)
        let path = try copyPath()
        let copy = try store.copy(to: path) { _, _ in }
        for name in ["data.mdb", "lock.mdb"] {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        try insert(1000..<30_000, into: copy)
        #expect(try count(copy) == 30_000)
        #expect(try copy.verify().isSound)
        copy.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }
}
