/// Lists in the words of `Array`: by index, and as a whole.
///
/// An index counts the entries of the list as it is when the operation is carried out. Where a list may have changed
/// since it was shown, ``move(_:entry:of:to:)`` and ``unlink(_:entry:of:)`` name the entry that is meant.
///
/// These operations throw ``StoreError`` with the code `entityMissing` where the owner is not there, `targetMissing`
/// where a target is not, `entryMissing` for an index out of range, with the list and how many entries it has,
/// `unknownRelationship` where the list follows from those on the other side, and `uniqueViolation` where a member may
/// not stand in the list. In a list that is the other side of a to-one each member stands once: one that comes leaves
/// the list that it was in. Where its to-one is required, it cannot be taken out (`invalidValue`).
extension WriteTransaction {
    /// Makes a list exactly this, with as few events as lead there: entries that stay keep their identity (REL-18).
    ///
    /// ```swift
    /// try transaction.set(Folder.notes, of: folder, to: ["n3", "n1", "n2"])
    /// ```
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - targets: what it leads to then, in this order. Where the list allows it, a target may be named again.
    /// - Throws: as said above, and `invalidValue` where a list that has each member once is given one twice.
    /// - Complexity: O((n + p) log n) for n entries before and afterwards together, and p pairs of an entry before and
    ///   one afterwards that lead to the same target; without repeats p is n at most. Beyond a million pairs it stays
    ///   O(n log n), and may need more events.
    public mutating func set<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        to targets: [Target.ID]
    ) throws {
        try change(relationship, owner) { session, list in
            try session.set(list, to: targets.map { Array($0.rawValue.utf8) })
        }
    }

    /// Puts a target at the end of a list. A member that is in the list already moves to the end.
    ///
    /// - Complexity: O(log n).
    public mutating func append<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ target: Target.ID
    ) throws {
        try append(relationship, of: owner, contentsOf: [target])
    }

    /// Puts targets at the end of a list, in the order given. Members that are in the list already move to the end.
    ///
    /// - Complexity: O(k log n) for k targets.
    public mutating func append<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        contentsOf targets: [Target.ID]
    ) throws {
        try change(relationship, owner) { session, list in
            for target in targets {
                _ = try session.link(list, target: Array(target.rawValue.utf8), at: .last)
            }
        }
    }

    /// Puts a target into a list, before the entry that is at an index.
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - target: what the new entry leads to. A member that is in the list already moves there.
    ///   - index: from 0 to how many entries there are.
    /// - Complexity: O(index + k + log n) for n entries, where the same write has changed k; O(n log n) where there is
    ///   no room at that place.
    public mutating func insert<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ target: Target.ID,
        at index: Int
    ) throws {
        try insert(relationship, of: owner, contentsOf: [target], at: index)
    }

    /// Puts targets into a list, in the order given, before the entry that is at an index.
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - targets: what the new entries lead to. Members that are in the list already move there.
    ///   - index: from 0 to how many entries there are.
    /// - Complexity: O(n log n) for n entries afterwards.
    public mutating func insert<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        contentsOf targets: [Target.ID],
        at index: Int
    ) throws {
        try change(relationship, owner) { session, list in
            try session.insert(list, targets.map { Array($0.rawValue.utf8) }, at: index)
        }
    }

    /// Moves entries of a list as SwiftUI's `onMove` says it: those at some indices come before the one that is at
    /// another, in the order that they have. All indices are those before the move.
    ///
    /// ```swift
    /// .onMove { from, to in
    ///     try? store.write { try $0.move(Folder.notes, of: folder, fromOffsets: from, toOffset: to) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - offsets: the indices of the entries that move, such as an `IndexSet`.
    ///   - end: from 0 to how many entries there are.
    /// - Complexity: O(n log n) for n entries, and an event for each that has to move. A single one takes
    ///   O(index + k + log n) for the larger of the two indices, where the same write has changed k. Where there is no
    ///   room at that place, it takes as long as several.
    public mutating func move<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        fromOffsets offsets: some Sequence<Int>,
        toOffset end: Int
    ) throws {
        let offsets = Set(offsets)
        try change(relationship, owner) { session, list in
            try session.move(list, fromOffsets: offsets, toOffset: end)
        }
    }

    /// Moves a member of a list before another one: for a user who drags it where only a part of the list is shown.
    ///
    /// ```swift
    /// try tx.move(Folder.notes, of: folder, note, before: next)
    /// ```
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - member: who moves; of several entries of it the first.
    ///   - other: before whom it comes, of several entries of it the first; nil for the end.
    /// - Throws: ``StoreError`` with the code `entryMissing` where the list has no such member.
    /// - Complexity: O(k + log n) for n entries, where the same write has changed k, and one event; O(n log n) where
    ///   there is no room at that place.
    public mutating func move<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ member: Target.ID,
        before other: Target.ID?
    ) throws {
        try change(relationship, owner) { session, list in
            try session.move(list, Array(member.rawValue.utf8), before: other.map { Array($0.rawValue.utf8) })
        }
    }

    /// Takes the entry at an index out of a list; the entity that it leads to stays.
    ///
    /// - Complexity: O(index + k + log n) for n entries, where the same write has changed k.
    public mutating func remove<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        at index: Int
    ) throws {
        try remove(relationship, of: owner, atOffsets: [index])
    }

    /// Takes the entries at some indices out of a list, as SwiftUI's `onDelete` names them; the entities that they lead
    /// to stay.
    ///
    /// - Parameters:
    ///   - relationship: the list.
    ///   - owner: whose list.
    ///   - offsets: the indices, such as an `IndexSet`.
    /// - Complexity: O(n + k log n) for k of n entries.
    public mutating func remove<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        atOffsets offsets: some Sequence<Int>
    ) throws {
        let offsets = Set(offsets)
        try change(relationship, owner) { session, list in
            try session.remove(list, atOffsets: offsets)
        }
    }

    /// Takes all entries that lead to a target out of a list; the target stays.
    ///
    /// - Returns: how many there were.
    /// - Complexity: O(log n) for each of them.
    @discardableResult
    public mutating func remove<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        _ target: Target.ID
    ) throws -> Int {
        try change(relationship, owner) { session, list in
            try session.remove(list, to: Array(target.rawValue.utf8))
        }
    }

    /// Takes all entries out of a list; the entities that they lead to stay.
    ///
    /// - Complexity: O(n log n) for n entries.
    public mutating func removeAll<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID
    ) throws {
        try set(relationship, of: owner, to: [])
    }

    private func change<Owner, Target, R>(
        _ relationship: Relationship<Owner, Target>,
        _ owner: Owner.ID,
        _ body: (WriteSession, ListPlace) throws -> R
    ) throws -> R {
        try access.run {
            let list = try writableList(relationship.name, EntityReference(owner))
            return try session.change { try body(session, list) }
        }
    }
}
