internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Opens the store at `path`, and makes it when there is none.
    ///
    /// A store is a directory, and not a file: move and copy it as a whole. The directory that holds it must exist, and
    /// may be one of the program's own:
    ///
    /// ```swift
    /// let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    /// let folder = support.appending(path: "Notes")
    /// try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    /// let path = folder.appending(path: "Notes.reprise").path(percentEncoded: false)
    /// let store = try Store.open(at: path, schema: Schema(Note.self, Folder.self))
    /// ```
    ///
    /// On Apple's platforms it belongs into Application Support, and not into Documents, where users see it, or Caches,
    /// which the system empties. On Linux it belongs into `$XDG_DATA_HOME`, or `~/.local/share` where that is not set.
    /// It does not belong on a network file system, nor into a folder that a service syncs file by file.
    ///
    /// A program opens a store once and passes it on: a second opening in the process throws `alreadyOpen`. Other
    /// processes may have it open as well.
    ///
    /// A new store is made under another name and appears at `path` when it is whole and on the disk, with directory
    /// and files readable by their owner only. The schema is declared in its log. A store whose last bulk load was
    /// interrupted is brought up to date first.
    ///
    /// - Parameters:
    ///   - path: a directory, by convention with the extension `reprise`. Its parent must exist.
    ///   - schema: the models of the program. Where they differ from what the store has, the store is changed in one
    ///     transaction (STO-81 to STO-94); where they are those of an earlier version of the program, and only
    ///     additions were made since, it is opened as it is (STO-85).
    ///   - configuration: how it is opened.
    /// - Throws: ``StoreError`` with the code `schemaMismatch` where the declaration does not explain a difference,
    ///   with each difference and what to write; `newerSchema` where a newer version of the program has changed the
    ///   store so that this one cannot work with it; `uniqueViolation` and `invalidValue` where rows forbid the change;
    ///   `cancelled` where ``Configuration/schemaProgress`` says so, and what functions and closures of the program
    ///   throw. Also `alreadyOpen`, `notAStore`, `newerFormat`, `truncated`,
    ///   `corrupted`, `permissionDenied`, `diskFull` or `inputOutput`; `storeNotFound` where the parent does not exist
    ///   or the path is too long, or where a store that is only read is not there; `lockFileUnusable` and `storeInUse`
    ///   where other processes have the store open in a way that forbids this; `unsupportedLMDB`. What is at `path` is
    ///   then as it was.
    /// - Complexity: O(1) in the size of the store, also where attributes are added, renamed or removed; where the
    ///   schema is changed otherwise, O(rows of the models with a new index, a newly required attribute or a
    ///   conversion · log).
    public static func open(
        at path: String,
        schema: Schema,
        configuration: Configuration = Configuration()
    ) throws -> Store {
        do {
            if configuration.readOnly {
                let store = try open(existing: path, configuration: configuration)
                do {
                    try store.adopt(schema)
                } catch {
                    store.close()
                    throw error
                }
                return store
            }
            let environment =
                try openExisting(at: path, configuration)
                ?? createOrOpen(at: path, schema, configuration)
            let store = Store(environment: environment, configuration: configuration)
            do {
                try store.prepare()
                try store.adopt(schema)
            } catch {
                store.close()
                throw error
            }
            return store
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Opens an existing store with the schema that is in its log.
    ///
    /// - Throws: as ``open(at:schema:configuration:)``, and `storeNotFound`.
    public static func open(
        existing path: String,
        configuration: Configuration = Configuration()
    ) throws -> Store {
        do {
            let environment = try Environment.open(
                at: path,
                tables: StoreTables.names,
                options: configuration.environmentOptions
            )
            let store = Store(environment: environment, configuration: configuration)
            do {
                try store.prepare()
                // A rollback may have been cut off before its rows were widened again.
                if !configuration.readOnly, try store.schema.hasWidenings {
                    try store.convertAgain(store.schemaHistory())
                }
            } catch {
                store.close()
                throw error
            }
            return store
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Makes the store, unless another process makes it at the same time: then that one is opened.
    private static func createOrOpen(
        at path: String,
        _ schema: Schema,
        _ configuration: Configuration
    ) throws -> Environment {
        do {
            return try making(at: path) { try create(at: path, schema, configuration) }
        } catch let error as LMDBError where error.code == .exists {
            guard let other = try openExisting(at: path, configuration) else { throw error }
            return other
        }
    }

    /// Runs what makes a store, whose errors then speak of the path where it shall be, and not of the name under which
    /// it is made.
    static func making<R>(at path: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as LMDBError {
            guard error.code != .noSuchStore else {
                throw StoreError(
                    .storeNotFound,
                    "The directory that shall hold the store \"\(path)\" does not exist.",
                    advice: "Make it first, or choose another path."
                )
            }
            var told = error
            if told.path != nil { told.path = path }
            throw told
        }
    }

    /// The store at `path`, or nil where there is none.
    private static func openExisting(
        at path: String,
        _ configuration: Configuration
    ) throws(LMDBError) -> Environment? {
        do throws(LMDBError) {
            return try Environment.open(
                at: path,
                tables: StoreTables.names,
                options: configuration.environmentOptions
            )
        } catch {
            if error.code == .noSuchStore { return nil }
            throw error
        }
    }

    /// Makes a store whose log begins with the declaration of its schema. Both are one commit, so that there is no
    /// moment at which a store without a schema could be found.
    private static func create(
        at path: String,
        _ schema: Schema,
        _ configuration: Configuration
    ) throws -> Environment {
        return try Environment.create(
            at: path,
            tables: StoreTables.names,
            options: configuration.environmentOptions
        ) { transaction, names in
            try declare(
                schema.description.ofNewStore.encode(),
                configuration,
                in: transaction,
                StoreTables(names)
            )
        }
    }

    /// Writes the first commit of a store, which declares its schema, and its state record.
    private static func declare(
        _ schema: [UInt8],
        _ configuration: Configuration,
        in transaction: borrowing TableWriter,
        _ tables: StoreTables
    ) throws {
        var state = StoreState.new()
        state.lastCommitTime = configuration.now().microsecondsSince1970
        state.schemaNumber = 1
        var builder = CommitBuilder(
            after: .empty,
            metadata: CommitMetadata(
                timeMicroseconds: state.lastCommitTime,
                actor: configuration.actor,
                intent: schemaDeclarationIntent,
                schema: state.schemaNumber
            )
        )
        state.schemaPosition = try unsafe builder.append(
            type: .schemaDeclared,
            version: Change.currentVersion,
            model: 0,
            id: UnsafeRawBufferPointer(start: nil, count: 0),
            previous: 0,
            cause: 0
        ) { writer in
            unsafe schema.withUnsafeBytes { unsafe writer.bytes($0) }
        }
        state.log = try builder.finish(digest: .zero, in: transaction, table: tables.log)
        state.viewsPosition = state.log.head
        try state.write(in: transaction, tables)
    }

    /// Checks the state record, and lets the views catch up after an interrupted bulk load.
    private func prepare() throws {
        let state = try readState()
        guard !configuration.readOnly else {
            if state.areViewsBehind { caughtUpPosition.withLock { $0 = state.log.head } }
            return
        }
        if state.areViewsBehind {
            configuration.logger?.warning(
                "The views are behind the log and are brought up to date.",
                metadata: [
                    "path": "\(path)", "views": "\(state.viewsPosition)",
                    "head": "\(state.log.head)",
                ]
            )
            try writer.perform { try catchUp() }
        }
    }

    func readState() throws -> StoreState {
        let transaction = try environment.beginRead()
        return try StoreState.read(transaction.reader, tables)
    }
}
