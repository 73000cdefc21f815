import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files beside a store as the first version has written them, of the golden store `store-v1-changes/root`: all that
/// was done to it as a file of changes, and its last state as a kept checkpoint. They are never made anew: a new format
/// gets new files beside them.
struct GoldenFileTests {
    private static let folder = Repository.root.appending(path: "Tests/RepriseTests/Golden/files-v1").path
    private static let changes = "\(folder)/root.changes"

    private let place: ScratchPlace
    private let store: Store

    init() throws {
        place = try ScratchPlace()
        let path = place("root")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let golden = Repository.root.appending(path: "Tests/RepriseTests/Golden/store-v1-changes/root")
        let source = golden.appending(path: "data.mdb").path
        try FileManager.default.copyItem(atPath: source, toPath: "\(path)/data.mdb")
        store = try Store.open(existing: path)
    }

    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func difference() throws -> ChangeSet { try store.difference(from: .position(Position(rawValue: 1))) }

    @Test func `the golden file of changes is written byte for byte, and takes the store back`() throws {
        try difference().write(to: place("again.changes"))
        #expect(try Self.bytes(place("again.changes")) == Self.bytes(Self.changes))
        let read = try ChangeSet(contentsOf: Self.changes)
        #expect(read.counts == (try difference().counts))
        #expect(read.counts.entities > 0)
        #expect(try store.apply(read).commit == nil)
        #expect(try store.apply(read.inverted()).isDone)
        let digest = try store.read(asOf: .position(Position(rawValue: 1))) { $0.digest }
        #expect(try store.read { $0.digest } == digest)
        #expect(try store.verify().isSound)
    }

    @Test func `the golden checkpoint is one of its store`() throws {
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: Self.folder).first { $0.hasSuffix(".checkpoint") }
        )
        let folder = place("root.checkpoints")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: "\(Self.folder)/\(name)", toPath: "\(folder)/\(name)")
        let found = try store.checkpoints()
        #expect(found.map(\.fault) == [nil])
        #expect(try found.first?.digest == store.read { $0.digest })
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["REPRISE_MAKE_GOLDEN"] != nil))
    func `make the golden files`() throws {
        try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
        // Both refuse to replace what is there.
        try difference().write(to: Self.changes)
        try store.createSnapshot(named: "golden", keepingState: true)
        let made = try #require(store.checkpoints().first)
        let name = try #require(made.path.split(separator: "/").last)
        try FileManager.default.copyItem(atPath: made.path, toPath: "\(Self.folder)/\(name)")
    }
}
