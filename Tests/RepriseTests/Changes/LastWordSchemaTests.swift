import FaultSupport
import Testing

@testable import Reprise

/// Last words about rows of models that have another name since (HIS-116).
@Suite struct LastWordSchemaTests {
    private struct Song: Model {
        var id: ID
        var title: String
        static let schema = ModelSchema("song", Self.init, .id("id", \.id), .attribute("title", \.title))
    }

    private struct Track: Model {
        var id: ID
        var title: String
        static let schema = ModelSchema("track", Self.init, .id("id", \.id), .attribute("title", \.title))
            .renamedFrom("song")
    }

    @Test func `the rows of a model stay under its new name`() throws {
        let scratch = try Scratch(inMemory: true)
        let first: Position
        let second: Position
        do {
            let store = try Store.open(at: scratch("store"), schema: Schema(Song.self))
            try store.write { try $0.insert(Song(id: "a", title: "A")) }
            first = try store.resolve(.head)
            try store.write { try $0.insert(Song(id: "b", title: "B")) }
            second = try store.resolve(.head)
        }
        let store = try Store.open(at: scratch("store"), schema: Schema(Track.self))
        let word = LastWord("m2", position: second, owns: { $0 <= second }, models: ["song"], Deviations())
        func revert(_ words: [LastWord]) throws -> (report: ChangeSet.Report, respected: [LastWord]) {
            try store.revert(
                [.commit(first)],
                resolving: .none,
                isPlan: false,
                context: CommitContext(intent: "revert")
            ) { _, _ in words }
        }
        let respected = try revert([word])
        #expect(respected.respected.map(\.migration) == ["m2"] && respected.report.counts.entities == 0)
        #expect(try store.fetch(Track.self).map(\.id) == ["a", "b"])
        #expect(try revert([]).report.counts.deleted == 1)
        #expect(try store.fetch(Track.self).map(\.id) == ["b"])
    }
}
