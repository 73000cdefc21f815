internal import RepriseLMDB
internal import RepriseLog

/// One of the two stores of a merge, as one transaction sees it.
struct BranchSide {
    let travel: TimeTravel
    let identity: [UInt8]
    /// The branches that the log has come through, by position.
    let marks: [BranchMark]
    let lineage: Lineage
    /// The last position that the state has.
    let head: UInt64
    private let log: LogReader
    private let labels: LabelScan
    private let timeline: Timeline
    /// The stretches of the log that have led to the state, ascending.
    private let live: [ClosedRange<UInt64>]
    /// The rollbacks on the way, whose states were passed through.
    private let liveRollbacks: Set<UInt64>

    init(_ travel: TimeTravel) throws {
        self.travel = travel
        identity = travel.state.identity
        head = travel.servedPosition
        log = LogReader(travel.reader, table: travel.tables.log, head: travel.state.log.head)
        let tables = travel.tables[travel.state.viewSet]
        labels = LabelScan(travel.reader, tables.labels)
        marks = try BranchMark.all(labels).sorted { $0.position < $1.position }
        lineage = Lineage(marks)
        timeline = try Timeline(travel.reader, tables)
        live = timeline.liveRanges(upTo: head)
        liveRollbacks = timeline.liveRollbacks(upTo: head)
    }

    /// Whether the state has come through that at a position.
    func isAlive(_ position: UInt64) -> Bool {
        position == 0 || liveRollbacks.contains(position) || live.contains { $0.contains(position) }
    }

    /// The hash of the block that ends at a position; nil where no commit ends there.
    func hash(at position: UInt64) throws -> Digest256? {
        guard position <= head, let commit = try log.commit(holding: position) else { return nil }
        return commit.lastPosition == position ? commit.hash : nil
    }

    /// The hash of the block that ends the first commit; zero where the log is empty.
    func firstHash() throws -> Digest256 { try log.commit(holding: 1)?.hash ?? .zero }

    /// The ends of the first commits behind a position.
    func ends(
        behind first: UInt64,
        upTo last: UInt64,
        countMax: Int = ChangeHome.endCountMax
    ) throws -> [ChangeHome.CommitEnd] {
        var ends: [ChangeHome.CommitEnd] = []
        if first >= last { return [] }
        try log.forEachCommit(from: first + 1, to: last) { commit in
            ends.append(ChangeHome.CommitEnd(position: commit.lastPosition, hash: commit.hash))
            return ends.count < countMax
        }
        return ends
    }

    /// What another store notes that merges this one, or a part of its past.
    ///
    /// - Parameter segment: the place in the lineage; the last one is this store.
    func mark(ofSegment segment: Int) throws -> MergeMark {
        let position = lineage.end(ofSegment: segment) ?? head
        return MergeMark(
            branch: lineage.segments[segment].branch,
            point: StorePoint(identity: identity, position: position, hash: try hash(at: position) ?? .zero),
            rollbacks: timeline.rollbacks.filter { $0.at <= position }.map { MergeMark.Rollback(at: $0.at, to: $0.to) }
        )
    }

    /// The newest note of a merge of another store that is alive.
    func lastMerge(of branch: UInt32) throws -> (at: UInt64, mark: MergeMark)? {
        var found: (at: UInt64, mark: MergeMark)?
        try forEachMerge(of: branch) {
            found = ($0, $1)
            return false
        }
        return found
    }

    /// Hands over the notes of merges of another store that are alive, the newest first. The first one is found at
    /// once, those before it by going through the log.
    ///
    /// - Parameters:
    ///   - branch: the number of the other store.
    ///   - body: gets the position of a note and the note; returns false to stop.
    func forEachMerge(of branch: UInt32, _ body: (UInt64, MergeMark) throws -> Bool) throws {
        let key = MergeMark.key(of: branch)
        let labelKey = LabelKey.annotation(MergeMark.name, key: key)
        guard let label = try AnnotationLabel.all(labelKey, labels).first else { return }
        if isAlive(label.position), try !body(label.position, MergeMark(branch: branch, label.payload)) { return }
        var goesOn = true
        for range in live.reversed() where goesOn && range.lowerBound < label.position {
            let before = range.lowerBound...min(range.upperBound, label.position - 1)
            try log.forEachEvent(in: before, reversed: true) { event, _ in
                guard event.type == .annotated, case .annotated(MergeMark.name, key, let payload) = try Change(event)
                else { return true }
                goesOn = try body(event.position, MergeMark(branch: branch, unsafe [UInt8](payload)))
                return goesOn
            }
        }
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
            try side.forEachMerge(of: segment.branch) { at, mark in
                guard let position = other.lineage.knownEnd(mark), position > newest?.position ?? end else {
                    return false
                }
                if position == mark.point.position, try other.hash(at: position) != mark.point.hash {
                    throw notABranch(
                        "One of the two stores is not the one that was merged before: it was restored or replaced."
                    )
                }
                // Where the other one has gone back behind it, an earlier merge may still hold.
                guard other.isAlive(position) else { return true }
                newest = (at, position)
                return false
            }
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
