import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store of the first version of the archive, and what copies of it must hold after a change that went wrong.
struct ArchiveStore {
    let scratch: Scratch
    let count: Int
    let views: Views
    private let digest: StateDigest
    private let head: Position

    var path: String { scratch("archive") }

    /// How the change is made.
    enum Views: String, CaseIterable {
        /// Rows are converted where they lie, and code runs.
        case present
        /// All views are written anew, without code.
        case new
    }

    init(_ count: Int, in scratch: Scratch? = nil, views: Views = .present) throws {
        self.views = views
        self.scratch = try scratch ?? Scratch(inMemory: true)
        self.count = count
        let path = self.scratch("archive")
        try Archive.fill(count, at: path)
        let store = try Store.open(existing: path)
        defer { store.close() }
        digest = try store.statistics().digest
        head = try store.statistics().head
    }

    /// A copy of the data file, without locks of anybody.
    func copy(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: scratch(name), withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: scratch(name) + "/data.mdb")
        return scratch(name)
    }

    /// Replaces the data file of a store that nobody has open.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        try? FileManager.default.removeItem(atPath: scratch(name))
        try FileManager.default.createDirectory(atPath: scratch(name), withIntermediateDirectories: false)
        replaceContents(ofFile: scratch(name) + "/data.mdb", with: bytes)
    }

    func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    enum State { case before, after }

    /// Whether a store is as it was before the change or as it is after it (STO-82); what is neither is recorded.
    func state(
        of path: String,
        verifies: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> State {
        let store = try Store.open(existing: path)
        let statistics = try store.statistics()
        if verifies {
            let faults = try store.verify().faults
            #expect(faults == [], sourceLocation: location)
        }
        store.close()
        guard statistics.schemaNumber == 1 else {
            #expect(statistics.schemaNumber == 2, sourceLocation: location)
            try expectAfter(path, location)
            return .after
        }
        #expect(statistics.digest == digest, sourceLocation: location)
        #expect(statistics.head == head, sourceLocation: location)
        let old = try Store.open(at: path, schema: Archive.One.schema)
        defer { old.close() }
        let cards = try old.fetch(FetchDescriptor<Archive.One.Card>())
        #expect(
            cards == (0..<count).map { Archive.first($0) }.sorted { $0.id < $1.id },
            sourceLocation: location
        )
        let many = try old.count(FetchDescriptor<Archive.One.Card>().where { $0.stars >= 7 })
        #expect(many == (0..<count).count { $0 % 10 >= 7 }, sourceLocation: location)
        return .before
    }

    /// Opens a store with the newest version, which makes the change where it was not made, and looks at everything.
    func expectAfter(_ path: String, _ location: SourceLocation = #_sourceLocation) throws {
        let store = try openNewest(path)
        defer { store.close() }
        let cards = try store.fetch(FetchDescriptor<Archive.Two.Card>())
        #expect(
            cards == (0..<count).map { Archive.second($0, isTagged: views == .present) }.sorted { $0.id < $1.id },
            sourceLocation: location
        )
        // Each of the new indexes.
        try store.read { transaction in
            let many = FetchDescriptor<Archive.Two.Card>().where { $0.stars >= 7 }
            #expect(try transaction.count(many) == (0..<count).count { $0 % 10 >= 7 }, sourceLocation: location)
            let one = FetchDescriptor<Archive.Two.Card>().where { $0.code == 3 }
            #expect(try transaction.fetchIDs(one) == ["card-3"], sourceLocation: location)
            let level = FetchDescriptor<Archive.Two.Card>().where { $0.level == 3 }
            #expect(try transaction.count(level) == count, sourceLocation: location)
            let words = try transaction.search(Archive.Two.Card.self, "title 5", limit: nil)
            #expect(Set(words.map(\.model.id)).isSuperset(of: ["card-5"]), sourceLocation: location)
            let tagCount = views == .present ? 3 : 0
            #expect(try transaction.count(FetchDescriptor<Archive.Two.Tag>()) == tagCount, sourceLocation: location)
        }
        #expect(try store.statistics().schemaNumber == 2, sourceLocation: location)
    }

    /// The state of a store, and that the newest version completes it.
    func expectWhole(_ path: String, _ location: SourceLocation = #_sourceLocation) throws -> State {
        let state = try state(of: path, location)
        if state == .before {
            try expectAfter(path, location)
            let store = try Store.open(existing: path)
            defer { store.close() }
            let faults = try store.verify().faults
            #expect(faults == [], sourceLocation: location)
        }
        return state
    }

    private func openNewest(_ path: String) throws -> Store {
        if views == .present { return try Store.open(at: path, schema: Archive.Two.schema) }
        var configuration = Store.Configuration()
        configuration.convertedRowCountMin = 1
        configuration.viewStepByteCount = 4096
        return try Store.open(at: path, schema: Archive.Two.schemaWithoutCode, configuration: configuration)
    }

    /// A worker that does something with the schema of a store.
    func worker(_ arguments: String..., results: AcknowledgementFile) -> ChildProcess {
        ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            arguments + ["results=" + results.path, "views=\(views)"],
            output: scratch("output")
        )
    }

    var output: String { String(decoding: contents(ofFile: scratch("output")), as: UTF8.self) }
}
