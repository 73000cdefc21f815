import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `Golden/store-v1-changes` was made by the first version that takes changes back, has branches and widens attributes:
/// version 2 of `linked`, notes of branches and merges, schema encoding 4. It is never made anew: a new format gets a
/// new folder beside it.
struct GoldenChangesTests {
    private static let folder = "Tests/RepriseTests/Golden/store-v1-changes"
    private static let names = ["root", "branch"]

    private func copy(_ name: String, in place: ScratchPlace) throws -> String {
        let path = place(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let source = Repository.root.appending(path: "\(Self.folder)/\(name)/data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        return path
    }

    @Test(arguments: names)
    func `the golden stores hold what they held, and their logs fold to it`(name: String) throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy(name, in: place))
        defer { store.close() }
        let expected = try Repository.text("\(Self.folder)/\(name)/export.txt").split(separator: "\n")
        #expect(try StoreExport(store).lines == expected.map(String.init))
        #expect(try store.verify().faults == [])
        try store.replay()
        #expect(try StoreExport(store).lines == expected.map(String.init))
    }

    @Test func `a merge of the golden stores goes on from the notes in them`() throws {
        let place = try ScratchPlace()
        let root = try Store.open(existing: copy("root", in: place))
        let branch = try Store.open(existing: copy("branch", in: place))
        defer {
            root.close()
            branch.close()
        }
        #expect(try root.merge(branch).commit == nil)
        let list = EntityReference(model: "playlist", id: "list")
        func targets(_ store: Store) throws -> [String] {
            try store.read { try $0.record(model: list.model, id: list.id)?.lists.first?.targets ?? [] }
        }
        #expect(try targets(root) == targets(branch))
        let entries = try branch.read { try $0.entries(of: "entries", model: list.model, id: list.id) }
        let first = try #require(entries.first)
        try branch.write { try $0.unlink("entries", entry: first, of: list) }
        #expect(try root.merge(branch).commit != nil)
        #expect(try targets(root) == targets(branch))
    }

    @Test func `a rollback of the golden store converts its widened attribute again`() throws {
        let place = try ScratchPlace()
        let store = try Store.open(existing: copy("root", in: place))
        defer { store.close() }
        try store.rollback(to: .position(Position(rawValue: 12)))
        let ratings = try store.read { state in
            try ["A", "B", "C"].map { id in
                try state.record(model: "track", id: id)?.values.first { $0.name == "rating" }?.value
            }
        }
        #expect(ratings == Array(repeating: .string("3"), count: 3))
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden stores of changes`() throws {
        let place = try ScratchPlace()
        try GoldenChanges.make(root: place("root"), branch: place("branch"))
        for name in Self.names {
            let target = Repository.root.appending(path: "\(Self.folder)/\(name)").path
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            let store = try Store.open(existing: place(name))
            defer { store.close() }
            // A copy made by replay has no free pages in it.
            try store.replay(into: place("compact \(name)"))
            let export = try StoreExport(store).lines.joined(separator: "\n") + "\n"
            try Data(export.utf8).write(to: URL(filePath: "\(target)/export.txt"))
            // Refuses to replace what is there.
            try FileManager.default.copyItem(atPath: place("compact \(name)/data.mdb"), toPath: "\(target)/data.mdb")
        }
    }
}
