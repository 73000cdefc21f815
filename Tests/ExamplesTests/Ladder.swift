import Reprise
import Synchronization
import TestSupport
import Testing

@testable import TodoV1
@testable import TodoV10
@testable import TodoV2
@testable import TodoV3
@testable import TodoV4
@testable import TodoV5
@testable import TodoV6
@testable import TodoV7
@testable import TodoV8
@testable import TodoV9

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One version of the app in Tools/examples.
struct Rung: Sendable, CustomTestStringConvertible {
    let number: Int
    let open: @Sendable (_ path: String, _ configuration: Store.Configuration) throws -> Store
    let use: @Sendable (Store) throws -> Void

    var testDescription: String { "version \(number)" }

    static let all = [
        Rung(number: 1, open: TodoV1.TodoApp.open, use: TodoV1.TodoApp.use),
        Rung(number: 2, open: TodoV2.TodoApp.open, use: TodoV2.TodoApp.use),
        Rung(number: 3, open: TodoV3.TodoApp.open, use: TodoV3.TodoApp.use),
        Rung(number: 4, open: TodoV4.TodoApp.open, use: TodoV4.TodoApp.use),
        Rung(number: 5, open: TodoV5.TodoApp.open, use: TodoV5.TodoApp.use),
        Rung(number: 6, open: TodoV6.TodoApp.open, use: TodoV6.TodoApp.use),
        Rung(number: 7, open: TodoV7.TodoApp.open, use: TodoV7.TodoApp.use),
        Rung(number: 8, open: TodoV8.TodoApp.open, use: TodoV8.TodoApp.use),
        Rung(number: 9, open: TodoV9.TodoApp.open, use: TodoV9.TodoApp.use),
        Rung(number: 10, open: TodoV10.TodoApp.open, use: TodoV10.TodoApp.use),
    ]

    static let newest = all[9]
}

/// A store that several versions of the app open one after the other, with a clock that makes its log the same each
/// time.
struct Ladder {
    private let directory: TemporaryDirectory
    private let configuration: Store.Configuration
    /// Where the log ended after each version's use, the first version first.
    private(set) var heads: [Position] = []

    var path: String { directory.path("todo") }

    init() throws {
        directory = try TemporaryDirectory(named: "examples")
        let clock = TickingClock()
        configuration = Store.Configuration(actor: "app", now: clock.now)
    }

    /// The path of something beside the store.
    func path(_ name: String) -> String { directory.path(name) }

    func with<R>(_ rung: Rung, _ body: (Store) throws -> R) throws -> R {
        let store = try rung.open(path, configuration)
        defer { store.close() }
        return try body(store)
    }

    /// As a tool that has no declaration.
    func byNames<R>(_ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(existing: path, configuration: configuration)
        defer { store.close() }
        return try body(store)
    }

    func with<R>(_ schema: Schema, _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: path, schema: schema, configuration: configuration)
        defer { store.close() }
        return try body(store)
    }

    /// Opens it with one version and does what its user does.
    mutating func climb(_ rung: Rung) throws {
        let head = try with(rung) { store in
            try rung.use(store)
            return try store.read { $0.head }
        }
        heads.append(head)
    }

    /// The store that was used with the first versions, up to one.
    static func used(upTo number: Int) throws -> Ladder {
        var ladder = try Ladder()
        for rung in Rung.all.prefix(number) { try ladder.climb(rung) }
        return ladder
    }
}

extension Store {
    /// Its rows and lists, by stored names: a line for each row.
    func content() throws -> [String] { try read { try $0.content() } }
}

extension ReadTransaction {
    func content() throws -> [String] {
        var lines: [String] = []
        for model in schema.models.map(\.name).sorted() {
            try forEachRecord(RecordQuery(model: model)) { record in
                let values = record.values.map { "\($0.name): \($0.value.exportText)" }
                let lists = record.lists.map { "\($0.name): [\($0.targets.joined(separator: " "))]" }
                // Slots are given out in the order in which attributes came, which is not the same in each store.
                lines.append("\(model) \(record.id) " + (values.sorted() + lists.sorted()).joined(separator: ", "))
                return true
            }
        }
        return lines
    }
}

extension Value {
    /// The same on every machine.
    fileprivate var exportText: String {
        switch self {
        case .null: "nil"
        case .string(let text): "\"\(text)\""
        case .date(let date): "date \(date.timeIntervalSinceReferenceDate)"
        case .reference(let id): "-> \(id)"
        case .list(let values): "[\(values.map(\.exportText).joined(separator: " "))]"
        case .embedded(let entries):
            "(\(entries.map { "\($0.name): \($0.value.exportText)" }.joined(separator: " ")))"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        default: "\(self)"
        }
    }
}

private final class TickingClock: Sendable {
    private let ticks = Mutex(0.0)

    func now() -> Date {
        ticks.withLock { ticks in
            defer { ticks += 1 }
            return Date(timeIntervalSince1970: 1_700_000_000 + ticks)
        }
    }
}
