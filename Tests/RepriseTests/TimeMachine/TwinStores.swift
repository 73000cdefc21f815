import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two stores that are given the same commits at the same times. One travels through time in memory, the other builds
/// the states of the past.
struct TwinStores {
    let scratch: Scratch
    let travelling: Store
    let building: Store

    /// - Parameter bound: how many events the second one goes through in memory.
    init(bound: Int = 0, byteCountMax: Int = .max) throws {
        scratch = try Scratch(inMemory: true)
        travelling = try Self.open(scratch("travelling"), .max, .max)
        building = try Self.open(scratch("building"), bound, byteCountMax)
    }

    static func configuration(bound: Int, byteCountMax: Int = .max) -> Store.Configuration {
        var configuration = Store.Configuration(now: { Date(timeIntervalSince1970: 1_700_000_000) })
        configuration.travelEventCountMax = bound
        configuration.readEventCountMax = bound
        configuration.travelByteCountMax = byteCountMax
        configuration.buildingByteCount = 1
        return configuration
    }

    private static func open(_ path: String, _ bound: Int, _ byteCountMax: Int) throws -> Store {
        try Store.open(
            at: path,
            schema: FaultModels.schema,
            configuration: configuration(bound: bound, byteCountMax: byteCountMax)
        )
    }

    var both: [Store] { [travelling, building] }

    func close() { for store in both { store.close() } }

    /// Whether the logs are the same byte for byte, and each store's views are those that follow from its log.
    func areSame() throws -> Bool {
        let ends = try both.map { store in
            let statistics = try store.statistics()
            var last = ""
            try store.read { transaction in
                try transaction.forEachCommit(from: statistics.head) {
                    last = $0.hash
                    return true
                }
            }
            let counts = statistics.counts.map { "\($0.model) \($0.count)" }
            let labels = statistics.snapshots.map { "\($0.name) \($0.position)" }
            return ["\(statistics.head)", last, "\(statistics.digest)"] + counts + labels
        }
        return ends[0] == ends[1]
    }
}
