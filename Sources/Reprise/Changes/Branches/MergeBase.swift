internal import RepriseLog

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

    /// Where both logs have had the same state.
    struct Meeting: Equatable {
        /// A position in the log of ours.
        let ours: UInt64
        /// A position in that of theirs.
        let theirs: UInt64
    }

    /// The end of the past that both logs begin with.
    let sharedEnd: UInt64
    let start: Start
    /// The way from a base of ours to theirs leads over it. The newest one that is known; for other bases it is the end
    /// of the shared past.
    let meeting: Meeting
    /// What theirs has taken over from ours since the base, which is nothing new to ours; nil where it has not.
    let crossing: Crossing?

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
        if case .ours = start {
            meeting = try Meeting(of: ours, and: theirs, behind: end)
        } else {
            meeting = Meeting(ours: end, theirs: end)
        }
        if case .theirs(let position) = start {
            crossing = try Crossing(of: theirs, taking: ours, behind: position)
        } else {
            crossing = nil
        }
    }

    /// For the way from the head of ours to that of theirs, whatever the base of a merge is.
    init(fromHeadOf ours: BranchSide, to theirs: BranchSide) throws {
        // Checked as for a merge: that both are of one family.
        sharedEnd = try MergeBase(ours: ours, theirs: theirs).sharedEnd
        start = .ours(ours.head)
        meeting = try Meeting(of: ours, and: theirs, behind: sharedEnd)
        crossing = nil
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
                        "One of the two stores is not as it was when it was merged: it is an older copy, or was "
                            + "restored or replaced."
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
            advice: "Merge a branch with the store that it was made of, or with its newest copy. Branches of one store "
                + "meet in that store."
        )
    }

    /// How a way leads over an event.
    struct Step {
        /// Whether the way leads from after the event to before it.
        let isUndone: Bool
        /// Whether the event is of the log of theirs.
        let isTheirs: Bool
        /// Whether ours has what the event did.
        var isKnown = false
    }

    /// Goes through the events on the way from the base to theirs.
    ///
    /// - Parameter body: gets one event, and how the way leads over it.
    func forEachStep(
        ours: BranchSide,
        theirs: BranchSide,
        _ body: (EventView, Step) throws -> Void
    ) throws {
        var from = meeting.theirs
        switch start {
        case .shared: break
        case .theirs(let position): from = position
        case .ours(let position):
            try ours.travel.forEachStep(from: position, to: meeting.ours) {
                try body($0, Step(isUndone: $1, isTheirs: false))
            }
        }
        var takeovers = crossing?.takeovers[...] ?? []
        try theirs.travel.forEachStep(from: from, to: theirs.head) { event, isUndone in
            while let next = takeovers.first, event.position > next.upperBound { takeovers.removeFirst() }
            let isKnown = !isUndone && takeovers.first?.contains(event.position) ?? false
            try body(event, Step(isUndone: isUndone, isTheirs: true, isKnown: isKnown))
        }
    }
}

extension MergeBase.Meeting {
    /// One merge of the other store, by its notes.
    private struct Merge {
        /// The commit that made it, in the log of the store that merged.
        let commit: ClosedRange<UInt64>
        /// Up to where the other store was merged, in its log.
        let position: UInt64
    }

    /// Looks for the newest state that both have had.
    ///
    /// A store that has nothing new, and merges a store that has merged all of it, has the state of that store then.
    /// Two that merge each other in turns meet like that again and again. So the way between them is as long as what
    /// was written since, and not since they parted. Where one has changed its schema since then, the same state may
    /// mean something else.
    ///
    /// - Parameter end: the end of the past that both logs begin with, where they met in any case.
    /// - Complexity: O(events since the last merge but one).
    fileprivate init(of ours: BranchSide, and theirs: BranchSide, behind end: UInt64) throws {
        var newest = (ours: end, theirs: end)
        if ours.travel.state.schemaPosition <= end, theirs.travel.state.schemaPosition <= end {
            let byOurs = try Self.merges(of: theirs, by: ours, behind: end)
            let byTheirs = try Self.merges(of: ours, by: theirs, behind: end)
            if let met = try Self.meeting(byTheirs, in: theirs, after: byOurs) { newest = (met.other, met.own) }
            if let met = try Self.meeting(byOurs, in: ours, after: byTheirs), met.own > newest.ours {
                newest = (met.own, met.other)
            }
        }
        (self.ours, self.theirs) = newest
    }

    /// The last two merges, the newer one first.
    private static func merges(
        of other: BranchSide,
        by side: BranchSide,
        behind end: UInt64
    ) throws -> [Merge] {
        var found: [Merge] = []
        try side.forEachMerge(of: other.lineage.own.branch, behind: end) { at, mark in
            let position = mark.point.position
            guard position > end, other.isAlive(position), try other.hash(at: position) == mark.point.hash,
                let commit = try side.commit(holding: at)
            else { return false }
            found.append(Merge(commit: commit.firstPosition...commit.lastPosition, position: position))
            return found.count < 2
        }
        return found
    }

    /// The newest merge that made the state of its store that of the other one.
    ///
    /// - Parameters:
    ///   - merges: those of one store.
    ///   - before: those of the other one.
    private static func meeting(
        _ merges: [Merge],
        in side: BranchSide,
        after before: [Merge]
    ) throws -> (own: UInt64, other: UInt64)? {
        for merge in merges {
            for known in before where known.commit.upperBound <= merge.position {
                // Nothing new: all that the store had was merged by then.
                let isQuiet = try known.position < merge.commit.lowerBound
                    && side.isQuiet(from: known.position + 1, to: merge.commit.lowerBound - 1)
                if isQuiet { return (merge.commit.upperBound, merge.position) }
            }
        }
        return nil
    }
}
