internal import RepriseLMDB
internal import RepriseLog

/// The views of a state of the past, built once in files of their own that reads of that state and of others near it
/// begin from (HIS-80).
///
/// The files have no names once they are built: they are gone when this object is, however the process ends.
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
        var options = Environment.Options()
        options.isPrivate = true
        // The map grows with what is built.
        options.mapByteCount = 1 << 30
        var made: StoreTables?
        var built: ViewsBuilder.Outcome?
        environment = try Environment.create(
            at: scratch.path + "/checkpoint",
            tables: StoreTables.names,
            options: options
        ) { _, names in
            made = StoreTables(names)
        } complete: { target in
            guard let made else { return }
            built = try build.run(in: target, made)
        }
        guard let built else { preconditionFailure("What is complete was built.") }
        tables = CheckpointBuild.views(of: StoreTables(environment))
        digest = built.digest
        counts = built.counts
        position = build.position
        schemaPosition = build.schema.position
        shared = StoreShared(beside: store)
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
