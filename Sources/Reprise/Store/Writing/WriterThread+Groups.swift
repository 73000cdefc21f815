internal import RepriseLMDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Groups of commits that share a transaction.
extension WriterThread {
    /// Has the waiting writes add their commits to the group, in order of arrival. Returns those that did.
    ///
    /// - Parameter isOwnThread: whether the calling thread is this one.
    func gather(into group: CommitGroup, isOwnThread: Bool) -> [Waiting] {
        var followers: [Waiting] = []
        // A job's body on this very thread cannot be left out, and may wait for a thread that waits for the group
        // (STO-77).
        var takesJobs = true
        while let next = nextFollower(of: group, count: followers.count, jobs: takesJobs) {
            switch next {
            case .thread(let waiter):
                turns.withLock { _ in waiter.place = .invited(group) }
                waiter.turn.raise()
                guard waitForFollower(next, in: group) else { return followers }
                followers.append(next)
                if isOwnThread { takesJobs = false }
            case .job(let job) where isOwnThread:
                followers.append(next)
                _ = owned { job.add(to: group) }
            case .job(let job):
                turns.withLock { $0.errand = (job, group) }
                wake.raise()
                let isThrough = waitForFollower(next, in: group)
                followers += turns.withLock { turns in
                    defer { turns.doneInGroup = [] }
                    return turns.doneInGroup
                }
                if !isThrough { return followers }
            case .alone: preconditionFailure("Who wants to be alone joins no group.")
            }
        }
        return followers
    }

    /// Waits until a follower has handed the group back. Returns false where the group takes nobody else: the body did
    /// nothing for too long and was left out, or it had not begun and is put back into the line (STO-76).
    private func waitForFollower(_ follower: Waiting, in group: CommitGroup) -> Bool {
        group.waitForFollower {
            turns.withLock { turns in
                switch follower {
                case .thread(let waiter), .alone(let waiter):
                    guard waiter.takeBack() else { return false }
                case .job:
                    guard turns.errand != nil else { return false }
                    turns.errand = nil
                }
                turns.queue.putBack(follower)
                return true
            }
        }
    }

    /// Adds the commit of a job, and of those that wait behind it, to the group of another thread.
    func run(_ first: WriteJob, in group: CommitGroup) {
        var job = first
        while true {
            _ = owned { job.add(to: group) }
            // The leader tells the writes that are done, and not one that it has left out.
            if group.hasLeftOut { return job.finish(nil) }
            turns.withLock { $0.doneInGroup.append(.job(job)) }
            guard case .follower(.job(let next)) = nextInLine(for: group, threads: false) else {
                return group.handedBack.raise()
            }
            job = next
        }
    }

    private enum Next {
        case follower(Waiting)
        case nobody
        /// The group is full, or it is the turn of a write that joins none.
        case end
    }

    private func nextInLine(
        for group: CommitGroup,
        threads: Bool = true,
        jobs: Bool = true
    ) -> Next {
        turns.withLock { turns in
            // Closing waits for the write that runs and not for all that wait.
            if turns.isStopping { return .end }
            switch turns.queue.first {
            case nil: return .nobody
            case .alone: return .end
            case .thread where !threads, .job where !jobs: return .end
            case .thread, .job:
                guard group.takesOthers(), let next = turns.queue.popFirst() else { return .end }
                return .follower(next)
            }
        }
    }

    /// The next write that joins a group of `count` followers.
    ///
    /// Those of the group before were let go of a moment ago, and where they write again at once they are about to come
    /// back: a group that closed before would go to the disk with the fastest of them and leave the others to the next.
    /// So as long as fewer are here than were then, the processor is left to them, for a fraction of what the last sync
    /// took. After a group of one nobody is waited for.
    private func nextFollower(of group: CommitGroup, count: Int, jobs: Bool) -> Waiting? {
        var deadline: ContinuousClock.Instant?
        while true {
            switch nextInLine(for: group, jobs: jobs) {
            case .follower(let next): return next
            case .end: return nil
            case .nobody: break
            }
            let (expected, patience) = turns.withLock { ($0.lastCount, $0.lastDuration / 4) }
            guard count < expected, group.takesOthers() else { return nil }
            let now = ContinuousClock.now
            if now > deadline ?? now { return nil }
            deadline = deadline ?? now + min(patience, CommitGroup.durationMax)
            sched_yield()
        }
    }

    /// Commits, and tells everybody how it went.
    func finish(_ group: CommitGroup, _ followers: [Waiting], hasTurn: Bool) throws {
        defer { group.release() }
        var failure: (any Error)?
        let start = ContinuousClock.now
        do {
            try owned(if: hasTurn) { try group.commit() }
        } catch { failure = error }
        let duration = ContinuousClock.now - start
        turns.withLock { turns in
            turns.lastCount = followers.count
            // A sync that failed says nothing of the next one.
            if failure == nil { turns.lastDuration = duration }
        }
        for follower in followers {
            switch follower {
            case .thread(let waiter), .alone(let waiter):
                waiter.failure = failure
                waiter.turn.raise()
            case .job(let job): job.finish(failure)
            }
        }
        if let failure { throw failure }
    }

    /// Leads a group with a job as its first member.
    func lead(_ job: WriteJob, hasTurn: Bool) {
        defer { if hasTurn { passOn() } }
        do {
            let group = try owned(if: hasTurn, job.begin)
            guard owned(if: hasTurn, { job.add(to: group) }) else {
                group.abort()
                return job.finish(nil)
            }
            do {
                let followers = hasTurn ? gather(into: group, isOwnThread: true) : []
                try finish(group, followers, hasTurn: hasTurn)
                job.finish(nil)
            } catch { job.finish(error) }
        } catch { job.finish(error) }
    }
}
