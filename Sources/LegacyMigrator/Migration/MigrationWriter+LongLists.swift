import ExportFormats
import LegacyRecords
import Reprise

/// Lists that are put in order in several commits.
extension MigrationWriter {
    /// The entries of a list, or nil where it is long.
    func entriesUnlessLong(
        of list: ClassShape.ToMany,
        _ owner: EntityReference,
        in transaction: borrowing WriteTransaction
    ) throws -> [EntryID]? {
        if interrupted == NotedList(owner: owner, list: list.name) { return nil }
        return try transaction.entriesUnlessMore(
            than: longBounds.lengthMax,
            of: list.name,
            owner
        )
    }

    /// Brings a long list into the order of the export, in as many commits as it takes.
    ///
    /// - Parameter change: called in each commit that changes it.
    func arrange(
        _ long: LongList,
        _ loader: inout BulkLoader,
        change: () throws -> Void
    ) throws {
        let place = NotedList(owner: long.owner, list: long.list.name)
        if interrupted == place { interrupted = nil }
        arranging = place
        var isDone = false
        while !isDone {
            try batch(.ordering, &loader) { transaction in
                // Another process may have deleted the owner.
                guard try exists(long.owner.model, long.owner.id, in: transaction) else {
                    respacing = nil
                    arranging = nil
                    isDone = true
                    return
                }
                // What another process has changed meanwhile may be what is behind.
                if pass.owned.ranges.last?.upperBound != transaction.position.rawValue {
                    long.restart()
                }
                long.hasChanged = false
                isDone = try advance(long, &transaction)
                if isDone { arranging = nil }
                guard long.hasChanged else { return }
                didWrite()
                try change()
            }
        }
    }

    /// Does what belongs into one commit.
    ///
    /// - Returns: whether all is done.
    private func advance(_ long: LongList, _ transaction: inout WriteTransaction) throws -> Bool {
        if respacing != nil {
            let count = try respace(long.list.name, of: long.owner, &transaction)
            long.hasChanged = count > 0
            return false
        }
        let found = try walk(long, in: transaction)
        for entry in found.surplus {
            try transaction.unlink(long.list.name, entry: entry, of: long.owner)
            long.hasChanged = true
        }
        if found.surplus.count >= longBounds.window { return false }
        guard !found.isOver else { return try addRest(of: long, &transaction) }
        try place(long, &transaction)
        return false
    }

    /// Respaces a part of a list, and notes whether there is more of it.
    ///
    /// - Returns: how many entries have another place now.
    func respace(
        _ list: String,
        of owner: EntityReference,
        _ transaction: inout WriteTransaction
    ) throws -> Int {
        let limit = 2 * longBounds.window
        let count = try transaction.respace(list, of: owner, atMost: limit)
        respacing = count < limit ? nil : NotedList(owner: owner, list: list)
        return count
    }

    /// Goes past all that is in its place.
    ///
    /// - Returns: the entries that have to go, no more than belong into a commit, and whether the end was reached.
    private func walk(
        _ long: LongList,
        in transaction: borrowing WriteTransaction
    ) throws -> (surplus: [EntryID], isOver: Bool) {
        var surplus: [EntryID] = []
        var isOver = true
        try transaction.forEachEntry(
            of: long.list.name,
            model: long.owner.model,
            id: long.owner.id,
            after: long.last
        ) { entry in
            let next = try long.next()
            if let next, next.utf8.elementsEqual(entry.target.utf8) {
                long.done += 1
                long.last = entry
                return true
            }
            if next == nil, !long.isWhole { return false }
            if next != nil, try long.isWanted(entry) {
                isOver = false
                return false
            }
            if long.isWhole, !pass.isPartial {
                if try pass.mayTakeOut(entry, of: long.list, in: transaction) {
                    surplus.append(entry)
                    return surplus.count < longBounds.window
                }
                pass.warnOfKept(entryOf: long.owner, in: long.list)
            }
            long.last = entry
            return true
        }
        return (surplus, isOver)
    }

    /// Adds what is wanted behind all that the list has.
    ///
    /// - Returns: whether that was all.
    private func addRest(of long: LongList, _ transaction: inout WriteTransaction) throws -> Bool {
        guard long.isWhole else { return true }
        var count = 0
        while let target = try long.next() {
            if count == longBounds.window { return false }
            count += 1
            let added = try link(
                long.list,
                from: long.owner,
                to: target,
                at: .last,
                &transaction
            )
            long.done += 1
            guard let added else { continue }
            long.hasChanged = true
            long.last = added
        }
        return true
    }

    /// Brings the next wanted members into their places: what stands among them stays as far as it is in this order,
    /// what is wanted later goes to the end, and the rest comes from wherever it is.
    private func place(_ long: LongList, _ transaction: inout WriteTransaction) throws {
        let places = try long.window(longBounds.window)
        let targets = try places.map { try long.wanted.key(at: $0).text }
        let present = try presentWindow(of: long, in: transaction)
        let difference = ListDifference(from: present.map(\.target), to: targets)
        var fetched = try fetch(targets, difference, long, behind: present.last, in: transaction)
        let lastStay = difference.lastStayWorthIt
        for index in difference.surplus where index < lastStay {
            try transaction.move(
                long.list.name,
                entry: present[index],
                of: long.owner,
                to: .last
            )
            long.hasChanged = true
        }
        var groups: [EntryGroup] = []
        var anchor = long.last
        var group: [EntryID] = []
        for (index, step) in difference.steps.enumerated() {
            switch step {
            case .stay(let place) where place <= lastStay:
                if !group.isEmpty { groups.append(EntryGroup(group, behind: anchor)) }
                group = []
                anchor = present[place]
            case .stay(let place), .move(let place): group.append(present[place])
            case .add:
                if let entry = fetched[ExactText(targets[index])]?.popLast() {
                    group.append(entry)
                } else if let added = try linkMissing(places[index], long, &transaction) {
                    group.append(added)
                }
            }
        }
        // More may follow into the same gap.
        let rest = long.wanted.count - long.done
        if !group.isEmpty { groups.append(EntryGroup(group, behind: anchor, share: rest)) }
        if groups.isEmpty { return }
        if try transaction.move(long.list.name, groups: groups, of: long.owner) {
            long.hasChanged = true
        } else {
            respacing = NotedList(owner: long.owner, list: long.list.name)
        }
    }

    /// The next entries that are wanted anywhere, as many as a window has.
    private func presentWindow(
        of long: LongList,
        in transaction: borrowing WriteTransaction
    ) throws -> [EntryID] {
        var present: [EntryID] = []
        try transaction.forEachEntry(
            of: long.list.name,
            model: long.owner.model,
            id: long.owner.id,
            after: long.last
        ) { entry in
            if try long.isWanted(entry) { present.append(entry) }
            return present.count < longBounds.window
        }
        return present
    }

    /// The entries for wanted members that the window lacks, from behind it; the first one of each is the last here.
    private func fetch(
        _ targets: [String],
        _ difference: ListDifference,
        _ long: LongList,
        behind last: EntryID?,
        in transaction: borrowing WriteTransaction
    ) throws -> [ExactText: [EntryID]] {
        var counts: [ExactText: Int] = [:]
        for (target, step) in zip(targets, difference.steps) where step == .add {
            counts[ExactText(target), default: 0] += 1
        }
        var found: [ExactText: [EntryID]] = [:]
        for (member, count) in counts {
            found[member] = try transaction.entries(
                of: long.list.name,
                model: long.owner.model,
                id: long.owner.id,
                to: member.text,
                after: last,
                limit: count
            ).reversed()
        }
        return found
    }

    /// Puts a member into the list that is nowhere in it.
    private func linkMissing(
        _ place: Int,
        _ long: LongList,
        _ transaction: inout WriteTransaction
    ) throws -> EntryID? {
        var added: EntryID?
        if long.isWhole {
            added = try link(
                long.list,
                from: long.owner,
                to: try long.wanted.key(at: place).text,
                at: .last,
                &transaction
            )
        }
        if added == nil { try long.leaveOut(place) } else { long.hasChanged = true }
        return added
    }
}

extension ListDifference {
    /// The index of the last entry for which it is worth it to stay, or -1: of those that are wanted later all that
    /// stand before it have to move.
    fileprivate var lastStayWorthIt: Int {
        var best = (gain: 0, index: -1)
        var stayCount = 0
        var surplusCount = 0
        for case .stay(let index) in steps {
            stayCount += 1
            while surplusCount < surplus.count, surplus[surplusCount] < index { surplusCount += 1 }
            if stayCount - surplusCount > best.gain { best = (stayCount - surplusCount, index) }
        }
        return best.index
    }
}

extension StateReading where Self: ~Copyable {
    /// The entries of a list, or nil where it has more than `count`.
    func entriesUnlessMore(
        than count: Int,
        of list: String,
        _ owner: EntityReference
    ) throws -> [EntryID]? {
        var entries: [EntryID] = []
        try forEachEntry(of: list, model: owner.model, id: owner.id) { entry in
            entries.append(entry)
            return entries.count <= count
        }
        return entries.count > count ? nil : entries
    }
}
