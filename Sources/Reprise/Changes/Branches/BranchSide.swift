internal import RepriseLMDB
internal import RepriseLog

/// One of the two stores of a merge, as one transaction sees it.
struct BranchSide {
    let travel: TimeTravel
    let identity: [UInt8]
    let lineage: Lineage
    /// The last position that the state has.
    let head: UInt64
    private let log: LogReader
    private let labels: LabelScan
    /// The stretches of the log that have led to the state, ascending.
    private let live: [ClosedRange<UInt64>]

    init(_ travel: TimeTravel) throws {
        self.travel = travel
        identity = travel.state.identity
        head = travel.servedPosition
        log = LogReader(travel.reader, table: travel.tables.log)
        let tables = travel.tables[travel.state.viewSet]
        labels = LabelScan(travel.reader, tables.labels)
        lineage = Lineage(try BranchMark.all(labels))
        live = try Timeline(travel.reader, tables).liveRanges(upTo: head)
    }

    func isAlive(_ position: UInt64) -> Bool {
        position == 0 || live.contains { $0.contains(position) }
    }

    /// The hash of the block that ends at a position; nil where no commit ends there.
    func hash(at position: UInt64) throws -> Digest256? {
        guard position <= head, let commit = try log.commit(holding: position) else { return nil }
        return commit.lastPosition == position ? commit.hash : nil
    }

    /// The head, as another store notes it.
    func point() throws -> StorePoint {
        StorePoint(identity: identity, position: head, hash: try hash(at: head) ?? .zero)
    }

    /// The last merge of another store that is alive: where its note is, and up to where that store was merged.
    ///
    /// - Parameter branch: the number of the other store.
    func lastMerge(of branch: UInt32) throws -> (at: UInt64, point: StorePoint)? {
        let key = MergeMark(branch: branch, point: try point()).key
        let labelKey = LabelKey.annotation(MergeMark.name, key: key)
        guard let label = try AnnotationLabel.all(labelKey, labels).first else { return nil }
        if isAlive(label.position) { return (label.position, try StorePoint(label.payload)) }
        // Views know the last one only. A rollback has taken it back: an earlier one is in the log.
        var found: (at: UInt64, point: StorePoint)?
        for range in live.reversed() where found == nil && range.lowerBound < label.position {
            try log.forEachEvent(in: range, reversed: true) { event, _ in
                guard event.type == .annotated, case .annotated(MergeMark.name, key, let payload) = try Change(event)
                else { return true }
                found = (event.position, try StorePoint(unsafe [UInt8](payload)))
                return false
            }
        }
        return found
    }
}

/// Where a merge begins: the newest state that both stores have had.
struct MergeBase: Equatable {
    enum Start: Equatable {
        /// The end of the past that both logs begin with.
        case shared
        /// Theirs, at a position that ours has merged.
        case theirs(UInt64)
        /// Ours, at a position that theirs has merged.
        case ours(UInt64)
    }

    /// The end of the past that both logs begin with.
    let sharedEnd: UInt64
    let start: Start

    init(sharedEnd: UInt64, start: Start) {
        self.sharedEnd = sharedEnd
        self.start = start
    }

    /// The position of the base, in the log that has it.
    var position: UInt64 {
        switch start {
        case .shared: sharedEnd
        case .theirs(let position), .ours(let position): position
        }
    }

    /// - Throws: `notABranch` where neither store is a branch of the other, or one is not the one any more that was
    ///   merged.
    init(ours: BranchSide, theirs: BranchSide) throws {
        let end = theirs.lineage.end(ofAncestor: ours.lineage) ?? ours.lineage.end(ofAncestor: theirs.lineage)
        guard let end, end > 0, let hash = try ours.hash(at: end), try theirs.hash(at: end) == hash else {
            let areSiblings = ours.lineage.sharedCount(with: theirs.lineage) > 0 && ours.lineage != theirs.lineage
            throw areSiblings
                ? Self.notABranch("Neither of the two stores is a branch of the other.")
                : Self.notABranch("The two stores do not share their past as a branch and its parent do.")
        }
        sharedEnd = end
        let byOurs = try Self.merge(of: theirs, by: ours, behind: end)
        let byTheirs = try Self.merge(of: ours, by: theirs, behind: end)
        switch (byOurs, byTheirs) {
        case (nil, nil): start = .shared
        case (let merge?, nil): start = .theirs(merge.position)
        case (nil, let merge?): start = .ours(merge.position)
        case (let byOurs?, let byTheirs?):
            // The later of the two knew the earlier one, unless both were made at the same time.
            start = byTheirs.position >= byOurs.at ? .ours(byTheirs.position) : .theirs(byOurs.position)
        }
    }

    /// Up to where one store has merged the other, or one that the other's log goes on from, as far as both is alive.
    private static func merge(
        of other: BranchSide,
        by side: BranchSide,
        behind end: UInt64
    ) throws -> (at: UInt64, position: UInt64)? {
        var newest: (at: UInt64, position: UInt64)?
        for segment in other.lineage.segments {
            guard let merge = try side.lastMerge(of: segment.branch),
                let position = other.lineage.end(ofBranch: segment.branch, knownUpTo: merge.point.position),
                position > newest?.position ?? end
            else { continue }
            if position == merge.point.position, try other.hash(at: position) != merge.point.hash {
                throw notABranch(
                    "One of the two stores is not the one that was merged before: it was restored or replaced."
                )
            }
            if other.isAlive(position) { newest = (merge.at, position) }
        }
        return newest
    }

    private static func notABranch(_ message: String) -> StoreError {
        StoreError(
            .notABranch,
            message,
            advice: "Merge a branch with the store that it was made of. Branches of one store meet in that store."
        )
    }

    /// Goes through the events on the way from the base to theirs.
    ///
    /// - Parameter body: gets one event, whether the way leads from after it to before it, and whether it is theirs.
    func forEachStep(
        ours: BranchSide,
        theirs: BranchSide,
        _ body: (EventView, _ isUndone: Bool, _ isTheirs: Bool) throws -> Void
    ) throws {
        var from = sharedEnd
        switch start {
        case .shared: break
        case .theirs(let position): from = position
        case .ours(let position):
            try ours.travel.forEachStep(from: position, to: sharedEnd) { try body($0, $1, false) }
        }
        try theirs.travel.forEachStep(from: from, to: theirs.head) { try body($0, $1, true) }
    }
}
