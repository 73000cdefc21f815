import Reprise

/// What of the rows that the export lacks is somebody else's work.
extension MigrationPass {
    /// Whether anything of a row that this source has made is somebody else's work and still stands: such a row is not
    /// deleted. What the source has written over, or come to say as well, is nobody else's, nor is what was set back to
    /// what the source had said, nor what the row lost because somebody has deleted other rows.
    ///
    /// - Complexity: O(1) where nobody else has written anything since the row was made, and otherwise O(log n) for
    ///   each event of the row, and once more for each of its lists that somebody else has changed. All are asked: the
    ///   entry that somebody has added to a long list may be far back.
    func holdsWorkOfOthers<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        _ revision: Revision,
        created: Position,
        in state: borrowing State
    ) throws -> Bool {
        if isUndisturbed(created...revision.position) { return false }
        let attributes = state.schema.model(named: row.model)?.attributes ?? []
        let changes = try LocalChanges(
            of: row,
            to: Set(attributes.map(\.name)),
            amongLast: .max,
            self,
            in: state
        )
        if changes.hasStanding { return true }
        // What cannot be found out counts as somebody's.
        guard let lists = try listsTouchedHere(of: row, since: created, in: state) else {
            return true
        }
        for list in lists where try isStanding(list, of: row, in: state) { return true }
        return false
    }

    /// As ``holdsWorkOfOthers(_:_:created:in:)``, where somebody else has changed the row since a position.
    func holdsWorkOfOthers<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        since head: Position,
        in state: borrowing State
    ) throws -> Bool {
        guard let found = try state.revision(of: row), found.revision.position > head
        else { return false }
        let last = try state.lastChange(of: row) { position, _ in
            position > head && isOurs(position)
        }
        guard let last, last > head else { return false }
        return try holdsWorkOfOthers(row, found.revision, created: found.created, in: state)
    }

    /// The lists of a row's own entries in which somebody else has done anything since it was made.
    ///
    /// - Returns: nil where its events do not lead back to that.
    private func listsTouchedHere<State: StateReading & ~Copyable>(
        of owner: EntityReference,
        since created: Position,
        in state: borrowing State
    ) throws -> Set<String>? {
        var names: Set<String> = []
        var isComplete = false
        try state.forEachEvent(of: owner) { event in
            if event.position <= created { isComplete = event.position == created }
            guard event.position > created else { return false }
            if Self.listEvents.contains(event.type), !isOurs(event.position),
                let name = event.changes.first?.name
            { names.insert(name) }
            return true
        }
        return isComplete ? names : nil
    }

    /// Whether a list of a row's own entries has anything that somebody else has put there, or taken out, or moved: not
    /// where it was set back to what the source had said, or only lacks what was deleted.
    ///
    /// - Complexity: O(log n) for each event of the owner, and where the list was changed O(entries · log entries).
    private func isStanding<State: StateReading & ~Copyable>(
        _ list: String,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        // What cannot be found out counts as somebody's.
        guard let target = state.schema.target(of: list, owner.model) else { return true }
        let (saying, change) = try lastSaid(list, of: owner, amongLast: .max, in: state)
        var before: Position?
        if case .asOf(let said) = saying { before = said }
        if let change {
            guard let before,
                try state.entriesUnlessMore(than: LongList.bounds.lengthMax, of: list, owner) != nil
            else { return true }
            let said = try entries(of: list, target, owner, asOf: before, in: state)
            let found = try entries(of: list, target, owner, asOf: change, in: state)
            if !found.hasTargets(said.map(\.target)) { return true }
        }
        // An entry that somebody had put there when the source said something of the list last: the export may have
        // lacked it.
        var isAdded = false
        try state.forEachEntry(of: list, model: owner.model, id: owner.id) { entry in
            let position = Position(rawValue: entry.serial)
            isAdded = !isOurs(position) && before.map { position <= $0 } ?? true
            return !isAdded
        }
        return isAdded
    }

    /// The entries that a list had at a position, without those whose members somebody has deleted.
    private func entries<State: StateReading & ~Copyable>(
        of list: String,
        _ target: String,
        _ owner: EntityReference,
        asOf position: Position,
        in state: borrowing State
    ) throws -> [EntryID] {
        let (model, id) = (owner.model, owner.id)
        return try state.entries(of: list, model: model, id: id, asOf: position).filter { entry in
            let member = EntityReference(model: target, id: entry.target)
            return try state.deletion(of: member).map(isOurs) ?? true
        }
    }
}

extension SchemaDescription {
    /// The model of the members of a list of a model's own entries.
    fileprivate func target(of list: String, _ model: String) -> String? {
        let number = self.model(named: model)?.number
        for relation in relations where relation.source.model == number {
            if case .list = relation.kind, relation.source.name == list {
                return self.model(relation.target.model)?.name
            }
        }
        return nil
    }
}
