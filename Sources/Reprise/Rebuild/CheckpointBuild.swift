internal import RepriseLMDB
internal import RepriseLog

/// Builds the views of a state of the past in an environment of their own, in bounded memory. The log stays where it
/// is.
struct CheckpointBuild {
    /// Reads the store as long as this takes.
    let reader: TableReader
    let tables: StoreTables
    /// The end of a commit.
    let position: UInt64
    /// The head of the log.
    let head: UInt64
    let timeline: Timeline
    /// The schema in force, by which the views are built.
    let schema: CompiledSchema
    let memoryByteCount: Int

    /// A new environment has the tables of a store, most of which stay empty.
    static func views(of tables: StoreTables) -> ViewTables { tables[.a] }

    /// - Parameter report: called now and then with the number of events that are done, of those up to the position;
    ///   throwing ends the work.
    /// - Throws: `corrupted` where the views do not have the digest that the log recorded; `diskFull`.
    /// - Complexity: O(events up to the position · log).
    func run(
        in target: Environment,
        _ tables: StoreTables,
        _ report: (_ done: UInt64) throws -> Void
    ) throws -> ViewsBuilder.Outcome {
        let memoryByteCount = max(memoryByteCount, 1 << 20)
        let log = LogReader(reader, table: self.tables.log, head: head)
        let byteCount = try logByteCount()
        let inPlace = LogGathering.mayReadInPlace(byteCount, upTo: position, memoryByteCount: memoryByteCount)
        // Views take about as much as the log that they follow from, or less.
        guard target.hasRoomOnDisk(for: inPlace ? byteCount : 2 * byteCount) else {
            throw LMDBError(code: .diskFull, operation: "build a state of the past", path: target.path)
        }
        let gathering = LogGathering(
            log: log,
            inPlace: inPlace,
            memoryByteCount: memoryByteCount,
            makeFile: target.makeSpillFile
        )
        let gathered = try gathering.gather(timeline.liveRanges(upTo: position)) { try report($0 / 2) }
        let writer = try ViewsWriter(target)
        defer { writer.close() }
        let builder = ViewsBuilder(
            schema: schema,
            tables: Self.views(of: tables),
            writer: writer,
            memoryByteCount: memoryByteCount,
            threads: .ordinary,
            makeFile: target.makeSpillFile
        )
        let outcome = try builder.build(gathered) { try report(position / 2 + UInt64($0) / 2) }
        try writer.inTransaction { try $0.finish { _ in } }
        guard outcome.digest == (try log.commit(holding: position)?.digest ?? .zero) else {
            throw StoreError.damage(
                "The state at position \(position) does not have the digest that the log recorded for it."
            )
        }
        return outcome
    }

    /// About how much the log takes up to the position.
    private func logByteCount() throws -> Int {
        let byteCount = Double(try reader.byteCount(tables.log))
        return head == 0 ? 0 : Int(byteCount * (Double(position) / Double(head)))
    }
}
