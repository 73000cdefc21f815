internal import RepriseLMDB
internal import RepriseLog

/// Sets of changes as files, which by custom have names that end with `.changes`.
extension ChangeSet {
    /// Reads a set from a file that ``write(to:)`` has made.
    ///
    /// What is in it can be looked at without a store. ``Store/apply(_:expecting:resolving:isPlan:context:)`` makes it
    /// happen.
    ///
    /// ```swift
    /// let changes = try ChangeSet(contentsOf: "Correction.changes")
    /// let report = try store.apply(changes)
    /// ```
    ///
    /// - Parameter path: the file. It must not be changed while the set is in use.
    /// - Throws: ``StoreError`` with the code `notAChangeSet` where the file is another one, `newerFormat`, `corrupted`
    ///   where it is not as it was written, `permissionDenied`; `inputOutput` where it is not there or cannot be read.
    /// - Complexity: O(bytes) twice. The memory has a bound: the changes stay in the file.
    public init(contentsOf path: String) throws {
        do {
            let file = try ChangeFile(at: path)
            let records = DeltaRecords(file)
            var counts = Counts()
            try records.forEach {
                try counts.add($0)
                return true
            }
            self.init(home: file.header.home, schema: file.schema, counts: counts, records: records) { _ in
                throw StoreError(
                    .unknownPosition,
                    "A set of changes from a file does not have whole rows.",
                    advice: "Use `forEach`, or take the difference from the store itself."
                )
            }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Writes the set to a file.
    ///
    /// The file has all that is different, the schema that says what it means, and a checksum. It can be applied to the
    /// store that the changes are of, to a store of its family of branches, and to a copy of the store that has had the
    /// state with which the changes begin.
    ///
    /// - Parameter path: where nothing is yet. The file gets this name when it is complete and on the disk.
    /// - Throws: ``StoreError`` with the code `valueTooLarge` where the changes of one entity take more than 512 MiB,
    ///   `storeExists` where something is there, `storeNotFound` where no directory could hold it, `permissionDenied`,
    ///   `diskFull`, `inputOutput`. Nothing is left at `path` then.
    /// - Complexity: O(bytes).
    public func write(to path: String) throws {
        do {
            let file = try NewFile(at: path)
            var hash = SHA256Hash()
            var writer = ByteWriter(capacity: Self.pieceByteCount)
            func flush(_ writer: inout ByteWriter) throws {
                unsafe hash.update(writer.bytes)
                try unsafe file.append(writer.bytes)
                writer.removeAll()
            }
            func flushIfLarge(_ writer: inout ByteWriter) throws {
                if writer.count >= Self.pieceByteCount { try flush(&writer) }
            }
            ChangeFileHeader(home: home, schema: schema.description, recordCount: recordCount).write(to: &writer)
            try forEachDelta { delta in
                try delta.writeCounted(to: &writer, afterPiece: flushIfLarge)
                try flushIfLarge(&writer)
                return true
            }
            try flush(&writer)
            writer.digest(hash.digest)
            try unsafe file.append(writer.bytes)
            try file.finish()
        } catch let error as LMDBError where error.code == .noSuchStore {
            throw StoreError(
                .storeNotFound,
                "There is no directory that could hold \"\(path)\".",
                advice: "Make the directory first."
            )
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    private static let pieceByteCount = 1 << 20

    /// Hands over the changes in the terms of a store that they are applied to.
    ///
    /// - Parameters:
    ///   - arrival: how they are said in the terms of that store.
    ///   - upcaster: makes what says a change that was found under a schema in the terms of the store's.
    ///   - makeFile: makes the file for entries that do not fit into memory.
    /// - Throws: `notABranch` where an entry may be there under another name; `schemaMismatch`.
    func forEachDelta(
        in side: BranchSide,
        _ arrival: ChangeArrival,
        _ workspace: Workspace,
        upcaster: (SchemaDescription) -> (EntityDelta) throws -> EntityDelta,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile,
        _ body: (EntityDelta) throws -> Void
    ) throws {
        let history = try SchemaHistory(of: side.travel.state, side.travel.reader, side.travel.tables)
        let past = arrival.isSameLog ? .wholeLog : SharedSchema(history.declared(upTo: arrival.sharedEnd))
        let match = try SchemaMatch(ours: workspace.schema, theirs: self.schema, past: past)
        let copied = CopiedEntries(in: workspace, of: side, from: nil, home.lineage)
        let upcast = upcaster(match.theirs.description)
        try forEachDelta(makeFile) { delta in
            var delta = try match.withoutRemoved(match.translated(delta))
            if delta.isEmpty { return true }
            try match.checkForm(of: delta)
            delta = try upcast(delta)
            if delta.isEmpty { return true }
            if !arrival.isSameLog { try match.check(delta) }
            try match.checkForm(of: delta)
            if arrival.isSameLog {
                try body(delta)
                return true
            }
            delta.entries = try delta.entries.map { entry in
                let list = ListKey(relation: entry.relation, id: delta.entity.id)
                return entry.renamed(try arrival.entries.serial(entry.serial, in: list, to: entry.target))
            }
            try copied.check(delta)
            try body(delta)
            return true
        }
    }
}

extension EntryDelta {
    /// The same entry with the serial that it has in another store.
    fileprivate func renamed(_ serial: UInt64) -> EntryDelta {
        EntryDelta(relation: relation, serial: serial, target: target, from: from, to: to)
    }
}
