import ExportFormats
import LegacyRecords
import Reprise

extension MigrationPass {
    /// Whether an entry that an export lacks may be taken out of its list: a migration of the source has put it there,
    /// and its member need not be in one.
    func mayTakeOut<State: StateReading & ~Copyable>(
        _ entry: EntryID,
        of list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        if isNeeded(list) { return false }
        guard list.memberToOne == nil else { return try isOurs(entry.target, list, in: state) }
        return isOurs(Position(rawValue: entry.serial))
    }

    /// Says why an entry that an export lacks stays in its list.
    func warnOfKept(entryOf owner: EntityReference, in list: ClassShape.ToMany) {
        if isNeeded(list) {
            return warn(
                .refusedRecord,
                "The \(list.name) of \(owner.model) \(LibraryReport.quoted(owner.id)) are not as in the export: what"
                    + " it lacks must be in a list, and stays where no other one takes it."
            )
        }
        warn(
            .entryAddedHere,
            "\(owner.model) \(LibraryReport.quoted(owner.id)) keeps an entry that was added here."
        )
    }

    /// Whether a member that stays is taken out of a list of a row that goes, so that it does not keep it: the export
    /// has the member, and gives such lists, but that one no longer.
    ///
    /// - Parameter toOne: the member's to-one, where it is known which one.
    func isTakenOut<State: StateReading & ~Copyable>(
        _ member: EntityReference,
        _ toOne: String?,
        ofListsOf owner: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard
            let list = shape.classes[owner.model]?.lists.values.first(where: {
                $0.target == member.model && $0.memberToOne != nil
                    && (toOne == nil || $0.memberToOne == toOne)
            }), !isNeeded(list), givenLists.contains(list.named(of: owner).model),
            try hasSeen(member.model, member.id) || isWaiting(member.model, member.id)
        else { return false }
        return try isOurs(member.id, list, in: state)
    }

    /// Whether each member of a list must be in one.
    func isNeeded(_ list: ClassShape.ToMany) -> Bool {
        guard let toOne = list.memberToOne else { return false }
        let attribute = shape.classes[list.target]?.attributes.first { $0.name == toOne }
        return attribute?.isOptional == false
    }

    /// Whether a member was put into a list on the other side of its to-one by a migration of the source.
    private func isOurs<State: StateReading & ~Copyable>(
        _ id: String,
        _ list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        // The member itself says where it is: who has put it there tells. What the batch that is being written has done
        // to it is something else, since no list comes twice in one.
        let member = EntityReference(model: list.target, id: id)
        let last = try state.lastChange(
            of: member,
            to: list.memberToOne,
            amongLast: Self.changeCountMax
        ) { position, _ in position.rawValue >= batchStart }
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

    /// The rows of the source with entries in a list that the export does not give.
    ///
    /// - Parameter leaving: those that go, where such a list keeps them.
    /// - Complexity: O(rows of the model).
    func ownersOfSurplus(
        _ list: ClassShape.ToMany,
        of shape: ClassShape,
        _ given: RememberedKeys,
        leaving: MissingRows? = nil,
        in store: Store
    ) throws -> RememberedRows {
        let name = shape.model + "." + list.name
        let owners = RememberedRows(in: memory)
        try store.read { state in
            try state.forEachRecord(RecordQuery(model: shape.model), lists: false) { record in
                if try given.contains(record.id, of: name) { return true }
                let owner = EntityReference(model: shape.model, id: record.id)
                try noteAgreedEmpty(list, of: owner, record, in: state)
                guard
                    try state.entriesUnlessMore(than: 0, of: list.name, owner) == nil
                else { return true }
                // One that goes lets its members go first.
                let isGoing = try list.memberToOne != nil && leaving?.contains(owner) == true
                let stays =
                    try hasSeen(shape.model, record.id) || isWaiting(shape.model, record.id)
                if stays || isGoing { try owners.append(owner) }
                return true
            }
        }
        return owners
    }

    /// Notes where a list that the export does not give has nothing but what somebody else has put there, and was
    /// emptied by them: the source has come to say the same.
    private func noteAgreedEmpty(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ record: Record,
        in state: borrowing ReadTransaction
    ) throws {
        guard list.memberToOne == nil, !isPartial,
            !isUndisturbed(record.created...record.revision.position),
            try hasSeen(owner.model, owner.id) || isWaiting(owner.model, owner.id),
            try state.entriesUnlessMore(than: LongList.bounds.lengthMax, of: list.name, owner)
                != nil
        else { return }
        // It has no members that could be kept.
        _ = try isKept(list, of: owner, LegacyReferences(), in: state)
    }
}
