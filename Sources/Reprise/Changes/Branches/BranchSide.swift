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
    let log: LogReader
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

    /// Whether nothing was written in a stretch of the log but snapshots and annotations, none of which notes a merge.
    func isQuiet(from first: UInt64, to last: UInt64) throws -> Bool {
        if first > last { return true }
        var isQuiet = true
        try log.forEachEvent(in: first...last) { event, _ in
            switch event.type {
            case .snapshotCreated, .snapshotDeleted: break
            case .annotated:
                if case .annotated(MergeMark.name, _, _) = try Change(event) { isQuiet = false }
            default: isQuiet = false
            }
            return isQuiet
        }
        return isQuiet
    }

    func commit(holding position: UInt64) throws -> CommitView? { try log.commit(holding: position) }

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

    /// The merges of another store behind a position that are alive, the newest first: the commit of each, and up to
    /// where the other store was merged.
    func merges(
        of branch: UInt32,
        behind first: UInt64
    ) throws -> [(commit: ClosedRange<UInt64>, point: StorePoint)] {
        var merges: [(commit: ClosedRange<UInt64>, point: StorePoint)] = []
        try forEachMerge(of: branch, behind: first) { at, mark in
            guard at > first, let commit = try commit(holding: at) else { return false }
            merges.append((commit.firstPosition...commit.lastPosition, mark.point))
            return true
        }
        return merges
    }

    /// Hands over the notes of merges of another store that are alive, the newest first. The first one is found at
    /// once, those before it by going through the log.
    ///
    /// - Parameters:
    ///   - branch: the number of the other store.
    ///   - first: the position behind which they are looked for.
    ///   - body: gets the position of a note and the note; returns false to stop.
    func forEachMerge(
        of branch: UInt32,
        behind first: UInt64 = 0,
        _ body: (UInt64, MergeMark) throws -> Bool
    ) throws {
        let key = MergeMark.key(of: branch)
        let labelKey = LabelKey.annotation(MergeMark.name, key: key)
        guard let label = try AnnotationLabel.all(labelKey, labels).first else { return }
        if isAlive(label.position), try !body(label.position, MergeMark(branch: branch, label.payload)) { return }
        var goesOn = true
        for range in live.reversed() where goesOn && range.lowerBound < label.position && range.upperBound > first {
            let last = min(range.upperBound, label.position - 1)
            let before = min(max(range.lowerBound, first + 1), last)...last
            try log.forEachEvent(in: before, reversed: true) { event, _ in
                guard event.type == .annotated, case .annotated(MergeMark.name, key, let payload) = try Change(event)
                else { return true }
                goesOn = try body(event.position, MergeMark(branch: branch, unsafe [UInt8](payload)))
                return goesOn
            }
        }
    }
}
