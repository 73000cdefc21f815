internal import RepriseLMDB
internal import RepriseLog

/// Gives entries of another store the serials that they have in this one.
struct ArrivingEntries {
    private let translation: EntryTranslation
    private let side: BranchSide
    /// The end of the past that both logs begin with.
    private let sharedEnd: UInt64

    /// - Parameters:
    ///   - translation: between the lineages of the other store and of this one, as far as they are known.
    ///   - side: this store.
    ///   - sharedEnd: the end of the past that both logs begin with.
    init(_ translation: EntryTranslation, in side: BranchSide, behind sharedEnd: UInt64) {
        (self.translation, self.side, self.sharedEnd) = (translation, side, sharedEnd)
    }

    init(of other: BranchSide, in side: BranchSide, behind sharedEnd: UInt64) {
        self.init(EntryTranslation(from: other.lineage, to: side.lineage), in: side, behind: sharedEnd)
    }

    /// The serial of an entry in this store.
    ///
    /// A branch cannot tell a copy of its parent from the parent: it calls an entry of the copy by a position of the
    /// parent. In the log of the parent this position is another event, or none. There the entry keeps the name of an
    /// entry from elsewhere (Specs/format/branches.md).
    ///
    /// - Parameters:
    ///   - serial: that in the other store.
    ///   - list: the list of the entry, with the number that its relationship has in this store.
    ///   - target: the identifier of the row that the entry leads to.
    /// - Complexity: O(log n).
    func serial(_ serial: UInt64, in list: ListKey, to target: [UInt8]) throws -> UInt64 {
        let own = try translation.serial(serial)
        if own <= sharedEnd || EntryName(serial: own) != nil { return own }
        return try side.made(own, in: list) == target ? own : translation.name(serial).serial
    }

    /// Whether this store and the other one call one entry by these serials.
    func isSame(_ ours: UInt64, _ theirs: UInt64) throws -> Bool {
        if ours == 0 || theirs == 0 { return ours == theirs }
        return try translation.to.made(ours) == translation.name(theirs)
    }
}

extension BranchSide {
    /// The row that the event at a position has put into a list, so that the entry has its serial from it; nil where it
    /// has put none there. O(log n).
    func made(_ position: UInt64, in list: ListKey) throws -> [UInt8]? {
        guard let event = try log.event(at: position), event.type == .linked,
            unsafe event.id.elementsEqual(list.id),
            case .linked(let relation, _, let serial, let target) = try Change(event),
            relation == list.relation, serial == position
        else { return nil }
        return unsafe [UInt8](target)
    }
}
