import Reprise

extension MigrationPass {
    /// Whether an entry that an export lacks may be taken out of its list: a migration of the source has put it there,
    /// and its member need not be in one.
    func mayTakeOut<State: StateReading & ~Copyable>(
        _ entry: EntryID,
        of list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        try !isNeeded(list) && isOurs(entry, list, in: state)
    }

    /// Whether each member of a list must be in one.
    func isNeeded(_ list: ClassShape.ToMany) -> Bool {
        guard let toOne = list.memberToOne else { return false }
        let attribute = shape.classes[list.target]?.attributes.first { $0.name == toOne }
        return attribute?.isOptional == false
    }

    /// Whether an entry was put into its list by a migration of the source.
    private func isOurs<State: StateReading & ~Copyable>(
        _ entry: EntryID,
        _ list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        guard let toOne = list.memberToOne else { return isOurs(Position(rawValue: entry.serial)) }
        // The member itself says where it is: who has put it there tells. What the batch that is being written has done
        // to it is something else, since no list comes twice in one.
        let member = EntityReference(model: list.target, id: entry.target)
        let last = try state.lastChange(of: member, to: toOne, amongLast: Self.changeCountMax) {
            position, _ in position.rawValue >= batchStart
        }
        return last.map(isOurs) ?? false
    }

    /// Of a list in which a member can stand only once: which of its places are the last of their members. Nil where it
    /// can stand there several times.
    func lastOccurrences(
        _ members: LegacyReferences,
        in list: ClassShape.ToMany
    ) throws(LegacyError) -> [Bool]? {
        guard list.memberToOne != nil else { return nil }
        let known = RememberedKeys(in: memory)
        var kept = [Bool](repeating: true, count: members.count)
        for place in members.indices.reversed() {
            kept[place] = try known.insert(members[place], of: list.target)
        }
        return kept
    }
}
