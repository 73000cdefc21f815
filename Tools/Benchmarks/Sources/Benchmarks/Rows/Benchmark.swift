import Foundation

/// One run of the table: what is measured, in which order, and what has been measured so far.
///
/// Within a row the participants take turns, so that whatever else the machine does meets them alike.
final class Benchmark {
    let options: BenchmarkOptions
    let directory: TemporaryDirectory
    let source = TrackSource()
    private(set) var rows: [TableRow] = []
    private var shared: SharedStores?

    init(options: BenchmarkOptions, directory: TemporaryDirectory) {
        self.options = options
        self.directory = directory
    }

    /// Runs the chosen rows. Those that read come before those that change the shared stores.
    func run() async throws {
        if options.includes(1) { try measureSmallInsertion() }
        if options.includes(2) { try measureLoad() }
        if options.includes(16) { try measureDisk() }
        if options.includes(4, 5, 6, 7, 8) { try measureReading() }
        if options.includes(12) { try measureColdOpen() }
        if options.includes(15) { try measureMemory() }
        if options.includes(3) { try measureInsertionIntoMany() }
        if options.includes(9) { try measureSingleCommits() }
        if options.includes(10) { try await measureConcurrentCommits() }
        if options.includes(11) { try measureCascade() }
        if options.includes(14) { try measureRollback() }
        if options.includes(13) { try measureReplay() }
        if options.includes(17) { try measureMigration() }
        if options.includes(19) { try measureChanges() }
        if options.includes(18) {
            try measureSchemaChange()
            try measureChangedRule()
        }
        try shared?.close()
    }

    func finish(_ row: TableRow) {
        rows.append(row)
        rows.sort { $0.order < $1.order }
    }

    /// The stores of all tracks; made when first needed.
    func stores() throws -> SharedStores {
        if let shared { return shared }
        announce("setting up three stores of \(options.trackCount) tracks")
        let reprise = try insertOnce(RepriseEngine.self, options.trackCount, by: .load)
        let grdb = try insertOnce(GRDBEngine.self, options.trackCount, by: .load)
        return try share(reprise, grdb, fillFloor(options.trackCount))
    }

    /// Keeps filled stores for all later rows.
    @discardableResult
    func share(
        _ reprise: Insertion<RepriseEngine>,
        _ grdb: Insertion<GRDBEngine>,
        _ floor: FilledFloor
    ) throws -> SharedStores {
        let made = SharedStores(
            reprise: reprise.engine,
            repriseDirectory: reprise.directory,
            grdb: grdb.engine,
            grdbDirectory: grdb.directory,
            floor: floor,
            trackCount: options.trackCount
        )
        shared = made
        return made
    }

    func announce(_ text: String) {
        FileHandle.standardError.write(Data("… \(text)\n".utf8))
    }
}
