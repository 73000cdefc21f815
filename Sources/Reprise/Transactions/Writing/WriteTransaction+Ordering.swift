internal import RepriseLog

/// Places of entries in long lists.
extension WriteTransaction {
    /// Gives the entries of a list the places that they would have had they been appended to an empty list one after
    /// the other, in the order that they have (REL-15).
    ///
    /// Where an entry stands is part of the state, and depends on how the list came about: two stores with the same
    /// lists agree in their digests when these were respaced.
    ///
    /// A long list can be respaced in several commits: each call with a limit does a part, and one that returns fewer
    /// has done the rest. The order stays the same all the time.
    ///
    /// - Parameter limit: how many entries may get another place, at least 1.
    /// - Returns: how many entries have another place now.
    /// - Throws: `entityMissing` (the owner), `unknownRelationship`, where the list follows from those on the other
    ///   side as well, and `valueTooLarge` where it has two billion entries.
    /// - Complexity: O(entries of the list), and an event for each that gets another place; memory for those that get
    ///   one.
    @discardableResult
    package mutating func respace<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        atMost limit: Int = .max
    ) throws -> Int {
        try respace(relationship.name, of: EntityReference(owner), atMost: limit)
    }

    /// Moves groups of entries so that each group stands directly behind an entry that stays, in the order given
    /// (REL-17). The work is that of these entries, however long the list is.
    ///
    /// ```swift
    /// // The first three become the last, in the same order; behind nil would be the front.
    /// let entries = try transaction.entries(Team.members, of: "blue").map(\.id)
    /// try transaction.move(
    ///     Team.members,
    ///     groups: [EntryGroup(Array(entries.prefix(3)), behind: entries.last)],
    ///     of: "blue"
    /// )
    /// ```
    ///
    /// - Parameter groups: entries of the list, each in one group at most, and behind which they come. What stands
    ///   there already in this order stays.
    /// - Returns: false where a gap has no room for what it is to be shared out for; nothing is changed then, and there
    ///   is room once the list has been respaced.
    /// - Throws: `entityMissing` (the owner), `entryMissing`, `invalidValue` where an entry is named twice or two
    ///   groups come behind the same one, and `unknownRelationship`, where the list follows from those on the other
    ///   side. The list is as it was then.
    /// - Complexity: O(k log n) for k entries.
    @discardableResult
    package mutating func move<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        groups: [EntryGroup],
        of owner: Owner.ID
    ) throws -> Bool {
        try move(relationship.name, groups: groups, of: EntityReference(owner))
    }

    /// Puts all entries of a list into an order at once (REL-16).
    ///
    /// Entries keep their identities. As many as possible stay where they are: those of a longest run that is in this
    /// order already, whatever stands between them. Where there is no room left between two of these all entries are
    /// spaced anew, as ``respace(_:of:atMost:)`` does.
    ///
    /// - Parameter entries: each entry of the list, once.
    /// - Returns: how many entries have another place now.
    /// - Throws: `entityMissing` (the owner), `entryMissing` for an entry that is not in the list, `invalidValue` where
    ///   one is left out or named twice, `unknownRelationship`, where the list follows from those on the other side,
    ///   and `valueTooLarge` where it has two billion entries. The list is as it was then.
    /// - Complexity: O(n log n), n entries of the list, and an event for each that gets another place; where all are
    ///   spaced anew two for some.
    @discardableResult
    package mutating func arrange<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        of owner: Owner.ID,
        entries: [EntryID]
    ) throws -> Int {
        try arrange(relationship.name, of: EntityReference(owner), entries: entries)
    }
}

// MARK: - By stored names

extension WriteTransaction {
    /// Spaces the entries of a list anew, by names: as ``respace(_:of:atMost:)``.
    @discardableResult
    package mutating func respace(
        _ relationship: String,
        of owner: EntityReference,
        atMost limit: Int = .max
    ) throws -> Int {
        try access.run {
            let list = try writableList(relationship, owner)
            return try session.change { try session.respace(list, atMost: Swift.max(1, limit)) }
        }
    }

    /// Moves groups of entries, by names: as ``move(_:groups:of:)``.
    @discardableResult
    package mutating func move(
        _ relationship: String,
        groups: [EntryGroup],
        of owner: EntityReference
    ) throws -> Bool {
        try access.run {
            let list = try writableList(relationship, owner)
            return try session.change { try session.move(list, groups) }
        }
    }

    /// Puts all entries of a list into an order at once, by names: as ``arrange(_:of:entries:)``.
    @discardableResult
    package mutating func arrange(
        _ relationship: String,
        of owner: EntityReference,
        entries: [EntryID]
    ) throws -> Int {
        try access.run {
            let list = try writableList(relationship, owner)
            return try session.change { try session.arrange(list, entries) }
        }
    }
}
