internal import RepriseLMDB
internal import RepriseLog

/// Bringing branches together.
extension Store {
    /// How often a merge begins anew because another merge of the same branch came in between.
    private static let attemptCountMax = 8

    /// What has to happen to this store so that it is the same as a branch.
    ///
    /// Entries of lists have the identity that they have, or would get, in this store. Names are those of its schema.
    ///
    /// - Parameter branch: a branch of this store, or the store that this one is a branch of.
    /// - Returns: the difference, from the head of this store to that of the branch.
    /// - Throws: `notABranch`, `schemaMismatch` where the two have different schemas; and as
    ///   ``difference(from:to:)``.
    /// - Complexity: O(events since the stores parted, or were the same last), sorted by entity; the memory has a
    ///   bound.
    public func difference(to branch: Store) throws -> ChangeSet {
        try wrapped {
            try compared(with: branch) { try MergeBase(fromHeadOf: $0, to: $1) }.changes
        }
    }

    /// Brings what was written to a branch into this store, in one commit.
    ///
    /// It is a merge in three ways, whose base is the newest state that both stores have had: where the branch began,
    /// or the last merge of one of the two into the other. So a second merge brings only what is new, in either
    /// direction. What both have changed, differently, is a ``ChangeSet/Conflict``; while one is open nothing is
    /// written. What both have put into one list is all there, each side's together, that of the older store first.
    ///
    /// ```swift
    /// let report = try store.merge(draft)
    /// for conflict in report.conflicts { print(conflict) }
    /// if !report.isDone { try store.merge(draft, resolving: .each { $0.canBeTheirs ? .theirs : .ours }) }
    /// ```
    ///
    /// The commit can be taken back like any other, with ``revert(commits:resolving:isPlan:context:)``. It is on no
    /// actor's stack of undo.
    ///
    /// - Parameters:
    ///   - branch: a branch of this store, or the store that this one is a branch of; where that is gone, the one
    ///     before it. Two branches of one store are both merged with that store. It is only read: its snapshots and
    ///     annotations stay there.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Returns: what was done, with all conflicts. Its commit is nil where the branch has nothing new.
    /// - Throws: `notABranch` where neither store is a branch of the other, or the branch is not the one any more that
    ///   was merged before; `schemaMismatch` where a change is about what the schema of this store does not have; and
    ///   as a write.
    /// - Complexity: O(e · log n) for e events since the base, or since both stores had the same content last. They
    ///   have it when each has merged the other with nothing written in between. Where they never had it, or one has
    ///   changed its schema, e counts from where they parted. Memory is bounded, but for what HIS-114 names.
    @discardableResult
    public func merge(
        _ branch: Store,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "merge")
    ) throws -> ChangeSet.Report {
        if isPlan {
            let found = try wrapped { try compared(with: branch) { try MergeBase(ours: $0, theirs: $1) } }
            return try Self.made(
                try merge(context, resolving: resolution, isPlan: true) { _ in found.wish }
            )
        }
        return try withMergeLocks(branch) {
            for _ in 0..<Self.attemptCountMax {
                // Read before it is this store's turn to write: a map that grows waits for reads.
                let found = try wrapped { try compared(with: branch) { try MergeBase(ours: $0, theirs: $1) } }
                do {
                    let report = try merge(context, resolving: resolution, isPlan: false) { ground in
                        guard try found.isStillRight(for: BranchSide(ground.travel), ground.workspace.schema) else {
                            throw HasMoved()
                        }
                        return found.wish
                    }
                    return try Self.made(report)
                } catch is HasMoved {
                    continue
                }
            }
            throw StoreError(
                .writerBusy,
                "The store was rolled back, or its schema was changed, again and again during the merge.",
                advice: "Nothing was written. Merge again."
            )
        }
    }

    /// Thrown where the base, or the schema, is another one by now.
    private struct HasMoved: Error {}

    /// Runs a merge while no other merge of one of the two stores runs, in any process. Two that merge each other at
    /// the same moment would know of each other's past and not of each other's merge.
    private func withMergeLocks<R>(_ branch: Store, _ body: () throws -> R) throws -> R {
        guard branch !== self else { throw Self.isItself }
        let deadline = ContinuousClock.now + configuration.writerWait
        var taken: [Store] = []
        defer { for store in taken { store.environment.releaseWorkLock() } }
        // In one order everywhere, so that two merges never wait for each other.
        for store in [self, branch].sorted(by: { $0.path < $1.path }) where !store.configuration.readOnly {
            guard try wrapped({ try store.environment.takeWorkLock(until: deadline) }) else {
                throw StoreError(
                    .writerBusy,
                    "Another merge, or a migration, of \"\(store.path)\" runs for longer than this one waits.",
                    advice: "Nothing was written. Merge again when it is done."
                )
            }
            taken.append(store)
        }
        return try body()
    }

    private static let isItself = StoreError(
        .notABranch,
        "A store cannot be merged into itself, nor compared with itself as a branch.",
        advice: "Open the branch and pass that."
    )

    /// What is different between a base and the head of a branch, in the terms of this store.
    private struct BranchChanges {
        let changes: ChangeSet
        /// What a merge notes: the store itself, and those that its past was written by.
        let marks: [MergeMark]
        let isTheirsLater: Bool
        let base: MergeBase
        /// Whether theirs has events of rows or lists behind the base, known ones included.
        let hasEvents: Bool
        /// The notes of this store of earlier merges when the changes were found.
        let notes: [UInt64]
        let lineage: Lineage
        let schemaPosition: UInt64

        var wish: MergeWish {
            var wish = MergeWish(
                takenBack: [],
                notes: marks,
                isTheirsLater: isTheirsLater
            ) { body in
                try changes.forEachDelta {
                    try body($0)
                    return true
                }
            }
            if let crossing = base.crossing {
                // Where the other one has nothing but notes of merges, the older store alone notes it. So the next
                // merge of the younger one is known to come later, and takes what was settled differently; and there
                // is an end.
                wish.isAlwaysNoted = hasEvents || isTheirsLater
                wish.ownPlaces = { ground in
                    let ours = try BranchSide(ground.travel)
                    return try crossing.ownPlaces(of: ours, beside: lineage.own.branch, ground.workspace.schema)
                }
            }
            return wish
        }

        func isStillRight(for ours: BranchSide, _ schema: CompiledSchema) throws -> Bool {
            if case .ours(let position) = base.start, !ours.isAlive(position) { return false }
            if let crossing = base.crossing, !ours.isAlive(crossing.position) { return false }
            return try schema.position == schemaPosition && ours.notes(of: lineage) == notes
        }
    }

    /// Finds what is different between a base and the head of a branch.
    ///
    /// The two stores are not read at the same moment: one may tell of a merge that the other has not done yet. So what
    /// does not fit is looked at again.
    private func compared(
        with branch: Store,
        _ base: (_ ours: BranchSide, _ theirs: BranchSide) throws -> MergeBase
    ) throws -> BranchChanges {
        var attemptsLeft = 2
        while true {
            do {
                return try comparedOnce(with: branch, base)
            } catch let error as StoreError where error.code == .notABranch && attemptsLeft > 0 {
                attemptsLeft -= 1
            }
        }
    }

    private func comparedOnce(
        with branch: Store,
        _ base: (_ ours: BranchSide, _ theirs: BranchSide) throws -> MergeBase
    ) throws -> BranchChanges {
        guard branch !== self else { throw Self.isItself }
        let transaction = try environment.beginRead()
        let other = try branch.environment.beginRead()
        let context = try newContext(of: transaction.reader, transaction.transactionID)
        let otherContext = try branch.newContext(of: other.reader, other.transactionID)
        let ours = try BranchSide(travel(transaction.reader, context.state))
        let theirs = try BranchSide(branch.travel(other.reader, otherContext.state))
        let base = try base(ours, theirs)
        let isTheirsLater =
            (ours.lineage.own.start, ours.lineage.own.branch)
            < (theirs.lineage.own.start, theirs.lineage.own.branch)
        let history = try SchemaHistory(of: context.state, transaction.reader, tables)
        let match = try SchemaMatch(
            ours: context.workspace.schema,
            theirs: otherContext.workspace.schema,
            past: SharedSchema(history.declared(upTo: base.sharedEnd))
        )
        let numbers = match.numbers
        let foreign = try upcaster(ofBranch: theirs.travel, for: history.present, numbers)
        let entries = ArrivingEntries(of: theirs, in: ours, behind: base.sharedEnd)
        let copied = CopiedEntries(in: context.workspace, of: ours, from: theirs, theirs.lineage, numbers)
        var gaps = SharedGaps(
            ours: context.workspace,
            theirs: otherContext.workspace,
            numbers: numbers,
            serials: entries
        )
        var gathering = DeltaGathering(
            try upcaster(of: ours.travel, history.present),
            foreign: ForeignTerms(entries: entries, match: match, upcaster: foreign),
            tellsKnownPlaces: base.crossing != nil && !isTheirsLater,
            makeFile: environment.makeSpillFile
        )
        try base.forEachStep(ours: ours, theirs: theirs) {
            try gathering.add($0, isUndone: $1.isUndone, isForeign: $1.isTheirs, isKnown: $1.isKnown)
        }
        let hasEvents = gathering.hasEvents
        let end = Position(theirs.head)
        let changes = try gathering.changeSet(
            home: try ours.home(from: base.position, to: theirs.head, in: theirs),
            schema: context.workspace.schema,
            makeFile: environment.makeSpillFile,
            endConversions: foreign?.conversions(behind: theirs.head),
            readEnd: { body in
                try branch.read(asOf: .position(end)) { transaction in
                    try body { try transaction.access.workspace.payload(of: $0, numbers) }
                }
            },
            completing: { delta in
                if base.crossing != nil {
                    try delta.removeKnown(try? context.workspace.schema.model(delta.entity.model))
                }
                try foreign?.removeOrigins(from: &delta, of: match.theirs)
                delta = try match.withoutRemoved(delta)
                try match.check(delta)
                delta = try match.withoutHidden(delta)
                if base.start == .ours(ours.head) { delta.removeUnchanged() }
                try copied.check(delta)
                try delta.findNeighbours(&gaps, match.theirs, environment.makeSpillFile)
            }
        )
        let found = BranchChanges(
            changes: changes,
            marks: try marks(of: theirs, for: ours),
            isTheirsLater: isTheirsLater,
            base: base,
            hasEvents: hasEvents,
            notes: try ours.notes(of: theirs.lineage),
            lineage: theirs.lineage,
            schemaPosition: context.workspace.schema.position
        )
        try transaction.checkUndisturbed()
        try other.checkUndisturbed()
        return found
    }

    /// What a merge of theirs notes: theirs, and those that its past was written by since the stores parted, where that
    /// is more than is known of them.
    private func marks(of theirs: BranchSide, for ours: BranchSide) throws -> [MergeMark] {
        let segments = theirs.lineage.segments.indices
        let sharedCount = ours.lineage.sharedCount(with: theirs.lineage)
        return try segments.compactMap { segment in
            if segment == segments.last { return try theirs.mark(ofSegment: segment) }
            if segment < sharedCount { return nil }
            let mark = try theirs.mark(ofSegment: segment)
            let known = try ours.lastMerge(of: mark.branch)?.mark.point.position ?? 0
            return known < mark.point.position && mark.point.position > 0 ? mark : nil
        }
    }
}

extension BranchSide {
    /// The positions of the newest notes of merges of all that a log was written by.
    fileprivate func notes(of lineage: Lineage) throws -> [UInt64] {
        try lineage.segments.map { try lastMerge(of: $0.branch)?.at ?? 0 }
    }
}
