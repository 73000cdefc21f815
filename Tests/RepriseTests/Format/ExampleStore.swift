import RepriseLMDB
import RepriseLog
import Synchronization

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ExampleFolder: Model {
    var id: ID
    var name: String

    static let schema = ModelSchema(
        "folder",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .toMany("notes", of: ExampleNote.self, inverse: "folder", onDelete: .nullify)
    .toMany("pinned", of: ExampleNote.self, onDelete: .nullify)

    static let pinned = Relationship<ExampleFolder, ExampleNote>("pinned")
}

struct ExampleNote: Model {
    var id: ID
    var title: String
    var folder: ExampleFolder.ID?

    static let schema = ModelSchema(
        "note",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .toOne("folder", \.folder)
    )
}

/// A directory that vanishes with this object.
final class ScratchPlace {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "reprise-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

/// A clock that ticks once a second from 2023-11-14T22:13:20Z.
final class TickingClock: Sendable {
    private let ticks = Mutex(0.0)

    func now() -> Date {
        ticks.withLock { ticks in
            defer { ticks += 1 }
            return Date(timeIntervalSince1970: 1_700_000_000 + ticks)
        }
    }
}

/// The store that the pages in `Specs/format` describe, as raw tables: every kind of event, and every kind of entry in
/// every view. Positions are in the remarks.
struct ExampleStore {
    /// Key and value of every entry, by table.
    let tables: [String: [(key: [UInt8], value: [UInt8])]]
    let identity: [UInt8]

    init() throws {
        let place = try ScratchPlace()
        let path = place("example")
        let clock = TickingClock()
        let store = try Store.open(
            at: path,
            schema: Schema(ExampleFolder.self, ExampleNote.self),
            configuration: Store.Configuration(actor: "ada", now: clock.now)
        )  // 1
        try Self.fill(store)
        identity = try store.readState().identity
        store.close()
        tables = try RawTables.read(path)
    }

    private static func fill(_ store: Store) throws {
        let first = try store.write(CommitContext(intent: "fill")) { transaction in
            try transaction.insert(ExampleFolder(id: "f", name: "F"))  // 2
            try transaction.insert(ExampleNote(id: "n", title: "N", folder: "f"))  // 3
            return try transaction.link(ExampleFolder.pinned, from: "f", to: "n")  // 4
        }
        try store.write { _ = try $0.update(ExampleNote.self, id: "n") { $0.title = "M" } }  // 5
        try store.write { transaction in
            let second = try transaction.link(ExampleFolder.pinned, from: "f", to: "n", at: .first)  // 6
            try transaction.move(ExampleFolder.pinned, entry: second.id, of: "f", to: .last)  // 7
            try transaction.unlink(ExampleFolder.pinned, entry: first.id, of: "f")  // 8
            try transaction.annotate(name: "import", key: "k", payload: [0xAA, 0xBB])  // 9
        }
        try store.createSnapshot(named: "s")  // 10
        try store.write { _ = try $0.delete(ExampleFolder.self, id: "f") }  // 11, 12
        try store.rollback(to: .snapshot("s"))  // 13
        try store.deleteSnapshot(named: "s")  // 14
        try store.createSnapshot(named: "t")  // 15
        try store.write { transaction in
            try transaction.insert(ExampleNote(id: "x", title: String(repeating: "a", count: 201)))  // 16
            try transaction.insert(ExampleNote(id: "y", title: "Y"))  // 17
            try transaction.delete(ExampleNote.self, id: "y")  // 18
        }
    }

    /// The body of the event with which an entry comes back, in a store of its own.
    static func linkedAgain() throws -> [UInt8] {
        let store = try Store.temporary(Schema(ExampleFolder.self, ExampleNote.self))
        let entry = try store.write { transaction in
            try transaction.insert(ExampleFolder(id: "f", name: "F"))  // 2
            try transaction.insert(ExampleNote(id: "n", title: "N", folder: nil))  // 3
            return try transaction.link(ExampleFolder.pinned, from: "f", to: "n")  // 4
        }
        try store.write { try $0.unlink(ExampleFolder.pinned, entry: entry.id, of: "f") }  // 5
        try store.undo()  // 6
        let transaction = try store.environment.beginRead()
        let event = try LogReader(transaction.reader, table: store.tables.log, head: .max).event(at: 6)
        guard let event, event.version == 2 else { return [] }
        return unsafe [UInt8](event.body)
    }

    func value(_ table: String, _ key: [UInt8]) -> [UInt8]? {
        tables[table]?.first { $0.key == key }?.value
    }

    /// The body of every event of the log, by position - 1.
    func eventBodies() throws -> [(type: EventType, body: [UInt8])] {
        var events: [(EventType, [UInt8])] = []
        for (key, value) in tables["log"] ?? [] {
            let position = key.reduce(0) { $0 << 8 | UInt64($1) }
            try unsafe value.withUnsafeBytes { bytes in
                let block = try unsafe BlockView(bytes, storedAt: position)
                var cursor = block.events()
                while let event = try cursor.next() {
                    events.append((event.type, unsafe [UInt8](event.body)))
                }
            }
        }
        return events
    }
}

/// The tables of a closed store, byte by byte.
enum RawTables {
    static func read(_ path: String) throws -> [String: [(key: [UInt8], value: [UInt8])]] {
        let environment = try Environment.open(at: path, tables: StoreTables.names)
        defer { environment.close() }
        let transaction = try environment.beginRead()
        var tables: [String: [(key: [UInt8], value: [UInt8])]] = [:]
        for name in StoreTables.names {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            var cursor = try transaction.reader.cursor(environment.table(name))
            var isThere = try cursor.first()
            while isThere {
                entries.append((unsafe [UInt8](cursor.key), unsafe [UInt8](cursor.value)))
                isThere = try cursor.next()
            }
            tables[name] = entries
        }
        return tables
    }
}
