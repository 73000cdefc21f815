internal import RepriseLMDB
internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Stores that go on from a point of another one.
extension Store {
    static let branchIntent = "branch"

    /// Makes a branch: a store of its own that has the same past up to a point, and goes on by itself.
    ///
    /// ```swift
    /// let draft = try store.branch(to: "Draft.reprise")
    /// try draft.write { try $0.update(Task.self, id: id) { $0.title = "Perhaps" } }
    /// let report = try store.merge(draft)
    /// ```
    ///
    /// What is written to one of the two is not in the other, until one is merged into the other with
    /// ``merge(_:resolving:isPlan:context:)``. A branch can have branches. It needs no other store: its parent may be
    /// removed.
    ///
    /// - Parameters:
    ///   - path: where the branch shall be, as in ``open(at:schema:configuration:)``; nothing is there.
    ///   - point: where it begins. It may lie on a timeline that a rollback has left. Where it lies before this store
    ///     itself began as a branch, the new one is a branch of the store that this one was made of, and is merged
    ///     there.
    ///   - configuration: how the branch is opened; nil takes that of this store, for reading and writing.
    ///   - progress: called now and then; returning false cancels.
    /// - Returns: the branch, open, with the models that this store was opened with.
    /// - Throws: `storeExists`; `storeNotFound` where the directory that shall hold the branch does not exist;
    ///   `unknownPosition`, `unknownSnapshot`, `cancelled`, `diskFull`, `corrupted`. Nothing is left at `path` then.
    /// - Complexity: O(events up to the point · log events), and as much room on the disk as the log and the views of
    ///   then take.
    public func branch(
        to path: String,
        at point: Point = .head,
        configuration: Configuration? = nil,
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> Store {
        try wrapped {
            var options = configuration ?? self.configuration
            if configuration == nil { options.readOnly = false }
            guard try resolve(point) > .origin else {
                throw StoreError(
                    .unknownPosition,
                    "A branch cannot begin before the first commit: it would share nothing with the store.",
                    advice: "Choose a later point, or make a new store."
                )
            }
            _ = try copyLog(upTo: point, into: path, options.environmentOptions, progress: progress) { target, tables in
                try markBranch(target, tables, options)
            }
            let branch = try Store.open(existing: path, configuration: options)
            do {
                if var declaration = self.declaration.withLock({ $0 }) {
                    declaration.relative = try schemaHistory().present
                    try branch.adopt(declaration)
                }
            } catch {
                branch.close()
                // This call has made it, and no other process knows of it yet.
                try? FileManager.default.removeItem(atPath: path)
                throw error
            }
            return branch
        }
    }

    /// Makes a branch for a test, a preview or a try, as ``branch(to:at:configuration:progress:)`` does, that lies in a
    /// directory of its own among the temporary files of the system. When it is closed, or when the last reference to
    /// it goes, it is removed.
    ///
    /// ```swift
    /// let attempt = try Store.temporary(branchOf: store)
    /// try attempt.write { try reorganize($0) }
    /// print(try store.difference(to: attempt).counts)
    /// ```
    ///
    /// - Parameters:
    ///   - store: what it is a branch of.
    ///   - point: where it begins.
    /// - Throws: as ``branch(to:at:configuration:progress:)``.
    public static func temporary(branchOf store: Store, at point: Point = .head) throws -> Store {
        do {
            return try inTemporaryPlace { try store.branch(to: $0, at: point) }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// The identity of the store that wrote the event at a position of this log: this one, or one that it comes from.
    private func origin(of position: UInt64) throws -> [UInt8] {
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let marks = try BranchMark.all(LabelScan(transaction.reader, tables[state.viewSet].labels))
        let next = marks.filter { $0.position > position }.min { $0.position < $1.position }
        try transaction.checkUndisturbed()
        return next?.parent ?? state.identity
    }

    /// Notes at the end of a copied log that a branch begins there, in a commit of its own.
    private func markBranch(_ target: Environment, _ tables: StoreTables, _ options: Configuration) throws {
        let transaction = try target.beginWrite()
        var state = try StoreState.read(transaction.reader, tables)
        let taken = Set(try BranchMark.all(LabelScan(transaction.reader, tables[state.viewSet].labels)).map(\.branch))
        var branch: UInt32
        repeat { branch = .random(in: 1...EntryName.branchNumberMax) } while taken.contains(branch)
        let mark = BranchMark(
            branch: branch,
            position: state.log.head + 1,
            parent: try origin(of: state.log.head),
            hash: state.log.lastHash
        )
        let workspace = Workspace(
            schema: try CompiledSchema.inForce(in: state, transaction.reader, tables),
            tables: tables[state.viewSet],
            base: transaction.reader,
            digest: state.viewsDigest,
            counts: state.counts
        )
        state.lastCommitTime = options.now().microsecondsSince1970
        let metadata = CommitMetadata(
            timeMicroseconds: state.lastCommitTime,
            actor: options.actor,
            intent: Self.branchIntent,
            schema: state.schemaNumber
        )
        let session = WriteSession(workspace: workspace, after: state.log, metadata: metadata)
        _ = try session.annotate(name: BranchMark.name, key: mark.key, payload: mark.payload)
        try workspace.flush()
        state.log = try session.takeBuilder().finish(digest: workspace.digest, in: transaction, table: tables.log)
        state.viewsPosition = state.log.head
        try state.write(in: transaction, tables)
        try transaction.commit()
    }
}

/// What a store has to do with a branch of it.
package struct BranchStatus: Sendable {
    /// The last position that both share.
    package let begins: Position
    /// The head of the branch.
    package let head: Position
    /// The last position of the branch that the store has merged; nil where it has merged nothing, or the branch was
    /// restored since and is not the one that was merged.
    package let mergedUpTo: Position?
}

extension Store {
    /// What this store has to do with another one: nil where that is no branch of it, nor a branch of one.
    ///
    /// - Complexity: O(log n) for each branch that the other's past was written by.
    package func status(ofBranch branch: Store) throws -> BranchStatus? {
        try wrapped {
            let other = try branch.environment.beginRead()
            let transaction = try environment.beginRead()
            let ours = try BranchSide(travel(transaction.reader, StoreState.read(transaction.reader, tables)))
            let theirs = try BranchSide(
                branch.travel(other.reader, StoreState.read(other.reader, branch.tables))
            )
            guard let end = theirs.lineage.end(ofAncestor: ours.lineage), end > 0,
                let hash = try ours.hash(at: end), try theirs.hash(at: end) == hash
            else { return nil }
            let merged = try ours.lastMerge(of: theirs.lineage.own.branch)?.mark.point
            // One that was restored is not the one that was merged.
            let isSame = try merged.map { try theirs.hash(at: $0.position) == $0.hash } ?? false
            try transaction.checkUndisturbed()
            try other.checkUndisturbed()
            return BranchStatus(
                begins: Position(end),
                head: Position(theirs.head),
                mergedUpTo: isSame ? merged.map { Position($0.position) } : nil
            )
        }
    }
}
