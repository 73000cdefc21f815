internal import RepriseLMDB
internal import RepriseLog

/// The views of a state of the past in files of their own, which reads of that state and of others near it begin from
/// (HIS-80).
///
/// Those that a read has built have no names: they are gone when this object is, however the process ends. Those that
/// were kept are opened (HIS-101).
final class Checkpoint: Sendable {
    /// The position whose state the views have.
    let position: UInt64
    /// The schema by which they were built.
    let schemaPosition: UInt64
    /// For reads that begin here.
    let shared: StoreShared
    private let environment: Environment
    private let tables: ViewTables
    private let digest: Digest256
    private let counts: [Int]

    /// Builds the views.
    ///
    /// - Parameters:
    ///   - folders: the files are made in the first of them that can be written.
    ///   - store: what all reads of the store share.
    /// - Throws: `permissionDenied` where none of the folders can be written, `diskFull`, `corrupted`.
    init(_ build: CheckpointBuild, in folders: [String], _ store: StoreShared) throws {
        let scratch = try ScratchDirectory(in: folders)
        defer { scratch.remove() }
        let built: ViewsBuilder.Outcome
        (environment, built) = try Self.make(build, at: scratch.path + "/checkpoint")
        tables = CheckpointBuild.views(of: StoreTables(environment))
        digest = built.digest
        counts = built.counts
        position = build.position
        schemaPosition = build.schema.position
        shared = StoreShared(beside: store)
    }

    /// Opens a file whose record was compared with the log, and whose data with the record.
    ///
    /// - Throws: `LMDBError` where the pages are not those of an environment.
    init(_ file: CheckpointFile, _ store: StoreShared) throws(LMDBError) {
        environment = try Environment.open(file.sealed, tables: StoreTables.names)
        tables = CheckpointBuild.views(of: StoreTables(environment))
        digest = file.record.digest
        counts = file.record.counts
        position = file.record.position
        schemaPosition = file.record.schemaPosition
        shared = StoreShared(beside: store)
    }

    /// Builds the views into a new environment at a path.
    ///
    /// - Parameter report: called now and then with the number of events that are done, of those up to the position;
    ///   throwing ends the work.
    static func make(
        _ build: CheckpointBuild,
        at path: String,
        report: (_ done: UInt64) throws -> Void = { _ in }
    ) throws -> (Environment, ViewsBuilder.Outcome) {
        var options = Environment.Options()
        options.isPrivate = true
        // The map grows with what is built.
        options.mapByteCount = 1 << 30
        var made: StoreTables?
        var built: ViewsBuilder.Outcome?
        let environment = try Environment.create(
            at: path,
            tables: StoreTables.names,
            options: options
        ) { _, names in
            made = StoreTables(names)
        } complete: { target in
            guard let made else { return }
            built = try build.run(in: target, made, report)
        }
        guard let built else { preconditionFailure("What is complete was built.") }
        return (environment, built)
    }

    /// Runs `body` with a workspace that shows the state of the checkpoint.
    ///
    /// - Parameters:
    ///   - schema: the schema in force, the one by which the views were built.
    ///   - journal: the log, which is still in the store.
    func withWorkspace<R>(
        _ schema: CompiledSchema,
        _ journal: Journal,
        _ body: (Workspace) throws -> R
    ) throws -> R {
        let transaction = try environment.beginRead()
        let workspace = Workspace(
            schema: schema,
            tables: tables,
            base: transaction.reader,
            digest: digest,
            counts: counts
        )
        workspace.journal = journal
        let result = try body(workspace)
        try transaction.checkUndisturbed()
        return result
    }
}
