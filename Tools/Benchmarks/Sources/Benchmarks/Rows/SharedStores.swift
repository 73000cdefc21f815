import Foundation

/// The stores of all tracks that most rows share.
final class SharedStores {
    private(set) var reprise: RepriseEngine
    private(set) var grdb: GRDBEngine
    let repriseDirectory: URL
    let grdbDirectory: URL
    let floor: FilledFloor
    /// How many tracks both engines hold: those from 0 on.
    private(set) var trackCount: Int

    init(
        reprise: RepriseEngine,
        repriseDirectory: URL,
        grdb: GRDBEngine,
        grdbDirectory: URL,
        floor: FilledFloor,
        trackCount: Int
    ) {
        self.reprise = reprise
        self.repriseDirectory = repriseDirectory
        self.grdb = grdb
        self.grdbDirectory = grdbDirectory
        self.floor = floor
        self.trackCount = trackCount
    }

    var engines: [any TrackEngine] { [reprise, grdb] }

    /// The numbers of tracks that neither has yet and both get now.
    func takeNew(_ count: Int) -> Range<Int> {
        defer { trackCount += count }
        return trackCount..<(trackCount + count)
    }

    /// Closes both while `body` runs.
    func closed(_ body: () throws -> Void) throws {
        try close()
        try body()
        reprise = try RepriseEngine(in: repriseDirectory)
        grdb = try GRDBEngine(in: grdbDirectory)
    }

    func close() throws {
        reprise.close()
        try grdb.close()
    }
}
