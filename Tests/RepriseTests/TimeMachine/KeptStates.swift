import FaultSupport
import Logging
import Reprise
import RepriseLMDB
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store of 1,000 items, an event each behind the one at position 1, with the state of a snapshot in its middle kept
/// as a file.
struct KeptStates {
    static let then = 501
    let scratch: Scratch
    /// Counts the warnings of all stores that were opened by it.
    let warnings = WarningCounter()

    init(keeping: Bool = true) throws {
        scratch = try Scratch(inMemory: true)
        let store = try open()
        defer { store.close() }
        try Self.insert(0..<500, into: store)
        try store.createSnapshot(named: "then", keepingState: keeping)
        try Self.insert(500..<1000, into: store)
    }

    static func insert(_ numbers: Range<Int>, into store: Store) throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10) {
            try store.write { transaction in
                for number in start..<(start + 10) {
                    try transaction.insert(Item(id: .init("\(number)"), name: "n", amount: number, code: number))
                }
            }
        }
    }

    /// Reads of more than 50 events are not short. Nothing is built: what no file helps with is met in memory.
    var configuration: Store.Configuration {
        var configuration = TwinStores.configuration(bound: .max)
        configuration.shortReadEventCount = 50
        configuration.checkpointFolders = [scratch("missing")]
        configuration.logger = warnings.logger
        // Each read looks for the files.
        configuration.idlePastByteCountMax = 0
        return configuration
    }

    var path: String { scratch("store") }
    var folder: String { path + ".checkpoints" }

    func open(_ name: String = "store") throws -> Store {
        try Store.open(at: scratch(name), schema: FaultModels.schema, configuration: configuration)
    }

    /// The paths of the files beside a store, sorted.
    func files(_ name: String = "store") -> [String] {
        let folder = scratch(name) + ".checkpoints"
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).sorted().map { "\(folder)/\($0)" }
    }

    var file: String { get throws { try #require(files().first) } }

    /// Puts another file into the place of one, so that it is told from what was there.
    func replace(_ path: String, _ bytes: [UInt8]) throws {
        let new = scratch("new")
        try Data(bytes).write(to: URL(filePath: new))
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: new, toPath: path)
    }

    static func count(_ store: Store, _ position: Int = then) throws -> Int {
        try store.read(asOf: .position(Position(rawValue: UInt64(position)))) {
            try $0.count(FetchDescriptor<Item>())
        }
    }

    /// All that is in the state of then.
    static func content(_ store: Store) throws -> Content {
        try store.read(asOf: .position(Position(rawValue: UInt64(then)))) { try Content($0) }
    }
}

/// Counts what a store warns of.
final class WarningCounter: Sendable {
    private let lines = Guarded<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "warnings") { _ in Handler(counter: self) } }

    private struct Handler: LogHandler {
        let counter: WarningCounter
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            // That no folder for scratch files can be written is meant.
            if event.message.description.hasPrefix("A kept checkpoint") {
                counter.lines.withLock { $0.append("\(event.message)") }
            }
        }
    }
}
