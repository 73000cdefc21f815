import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Three versions of an app: the last one lacks what the second one had, so that a branch of the first one that it
/// opens has gaps in its numbers.
private enum Versions {
    struct First: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct Second: Model {
        var id: ID
        var name: String
        var size: Int?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        )
    }

    struct Old: Model {
        var id: ID
        var thing: Second.ID?
        static let schema = ModelSchema("old", Self.init, .id("id", \.id), .toOne("thing", \.thing))
    }

    struct Third: Model {
        var id: ID
        var name: String
        var colour: String?
        static let likes = Relationship<Third, Third>("likes")
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour, indexed: true)
        ).removed("size").toMany(likes)
    }

    struct New: Model {
        var id: ID
        var thing: Third.ID?
        static let schema = ModelSchema("new", Self.init, .id("id", \.id), .toOne("thing", \.thing))
    }

    static let third = Schema(Third.self, New.self, removed: ["old"])
}

/// `Golden/store-v1-gaps` was made by the first version in which a branch gives what is new the numbers that its parent
/// gave it (HIS-98): a branch with gaps in the numbers of models and relations and in the slots of rows. It is never
/// made anew.
struct GoldenGapsTests {
    private static let folder = "Tests/RepriseTests/Golden/store-v1-gaps"

    private static func make(_ place: ScratchPlace) throws {
        let configuration = Store.Configuration(actor: "golden", now: TickingClock().now)
        let path = place("root")
        let first = try Store.open(at: path, schema: Schema(Versions.First.self), configuration: configuration)
        try first.write { try $0.insert(Versions.First(id: "a", name: "A")) }
        let point = try first.head()
        first.close()
        let second = Schema(Versions.Second.self, Versions.Old.self)
        try Store.open(at: path, schema: second, configuration: configuration).close()
        let root = try Store.open(at: path, schema: Versions.third, configuration: configuration)
        defer { root.close() }
        try root.write { transaction in
            try transaction.insert(Versions.Third(id: "b", name: "B", colour: "blue"))
            try transaction.insert(Versions.New(id: "n", thing: "b"))
        }
        let branch = try root.branch(to: place("branch"), at: .position(point))
        defer { branch.close() }
        try branch.write { transaction in
            try transaction.update(Versions.Third.self, id: "a") { $0.colour = "red" }
            try transaction.insert(Versions.New(id: "m", thing: "a"))
            try transaction.append(Versions.Third.likes, of: "a", "a")
        }
        try branch.merge(root)
    }

    private func copy(in place: ScratchPlace) throws -> String {
        let path = place("branch")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Repository.root.appending(path: "\(Self.folder)/data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        return path
    }

    @Test func `the golden branch with gaps holds what it held, and its log folds to it`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy(in: place))
        defer { store.close() }
        let expected = try Repository.text("\(Self.folder)/export.txt").split(separator: "\n")
        #expect(try StoreExport(store).lines == expected.map(String.init))
        #expect(try store.verify().faults == [])
        try store.replay()
        #expect(try StoreExport(store).lines == expected.map(String.init))
        let schema = try store.schema
        #expect(schema.models.map(\.number) == [1, 3])
        #expect(schema.models[0].attributes.map(\.slot) == [0, 2])
    }

    @Test func `a program opens the golden branch with gaps, and writes what it lacked`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(at: copy(in: place), schema: Versions.third)
        defer { store.close() }
        #expect(try store.fetch(Versions.Third.self).map(\.colour) == ["red", "blue"])
        #expect(try store.fetch(Versions.Third.self) { $0.colour == "blue" }.map(\.id) == ["b"])
        #expect(try store.fetch(Versions.New.self).map(\.thing) == ["a", "b"])
        try store.write { try $0.delete(Versions.Third.self, id: "a") }
        #expect(try store.fetch(Versions.New.self, id: "m")?.thing == nil)
        #expect(try store.verify().isSound)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden branch with gaps`() throws {
        let place = try ScratchPlace()
        try Self.make(place)
        let target = Repository.root.appending(path: Self.folder).path
        // Refuses to replace what is there.
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        let store = try Store.open(existing: place("branch"))
        defer { store.close() }
        // A copy made by replay has no free pages in it.
        try store.replay(into: place("compact"))
        let export = try StoreExport(store).lines.joined(separator: "\n") + "\n"
        try Data(export.utf8).write(to: URL(filePath: "\(target)/export.txt"))
        try FileManager.default.copyItem(atPath: place("compact/data.mdb"), toPath: "\(target)/data.mdb")
    }
}
