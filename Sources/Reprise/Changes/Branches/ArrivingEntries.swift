internal import RepriseLMDB
internal import RepriseLog

/// Gives entries of another store the serials that they have in this one.
struct ArrivingEntries {
    private let translation: EntryTranslation
    private let side: BranchSide
    /// The other store; nil where changes come from a file.
    private let other: BranchSide?
    private let numbers: Renumbering?
    /// The end of the past that both logs begin with.
    private let sharedEnd: UInt64

    /// For a merge.
    ///
    /// - Parameters:
    ///   - other: the other store.
    ///   - side: this store.
    ///   - sharedEnd: the end of the past that both logs begin with.
    ///   - numbers: what the numbers of the other store are in this one; nil where they are the same.
    init(of other: BranchSide, in side: BranchSide, behind sharedEnd: UInt64, _ numbers: Renumbering?) {
        translation = EntryTranslation(from: other.lineage, to: side.lineage)
        (self.side, self.other, self.sharedEnd, self.numbers) = (side, other, sharedEnd, numbers)
    }

    /// For changes from a file.
    ///
    /// - Parameters:
    ///   - translation: between the lineages of both stores, as far as they are known.
    ///   - side: this store.
    ///   - sharedEnd: the end of the past that both logs begin with.
    init(_ translation: EntryTranslation, in side: BranchSide, behind sharedEnd: UInt64) {
        (self.translation, self.side, self.sharedEnd) = (translation, side, sharedEnd)
        (other, numbers) = (nil, nil)
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
    /// - Throws: `notABranch` where the other store has put another row into the same list at that position of its own
    ///   log since: it does not know them apart.
    /// - Complexity: O(log n).
    func serial(_ serial: UInt64, in list: ListKey, to target: [UInt8]) throws -> UInt64 {
        let own = try translation.serial(serial)
        if let other, let name = EntryName(serial: serial), let position = translation.from.position(of: name) {
            let relation = numbers?.theirRelation(list.relation) ?? list.relation
            let theirs = ListKey(relation: relation, id: list.id)
            if let made = try other.made(position, in: theirs), made != target { throw StoreError.alike(made, target) }
        }
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

extension StoreError {
    /// Where a store and a branch of it do not mean the same by the name of an entry, because of a copy.
    static func cannotTell(_ message: String) -> StoreError {
        StoreError(
            .notABranch,
            message,
            advice: "Nothing was written. Take the file of changes from the copy back in the branch, with `revert`. "
                + "Apply it to the store alone: the branch gets it by a merge."
        )
    }

    /// - Parameters:
    ///   - one: the identifier of a row that a store has put into a list.
    ///   - other: that of one that a copy of the store has put there.
    static func alike(_ one: [UInt8], _ other: [UInt8]) -> StoreError {
        let (one, other) = (String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
        return .cannotTell(
            "\"\(one)\" and \"\(other)\" were put into one list, by a store and by a copy of it, at the same position "
                + "of their logs. The branch cannot tell them apart."
        )
    }
}
