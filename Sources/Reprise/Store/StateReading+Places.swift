internal import RepriseLog

extension StateReading where Self: ~Copyable {
    /// The position of the last event of an entity that was more than another place in the list on the other side of
    /// one of its to-ones; nil when there is no entity (STO-49).
    ///
    /// Whoever puts something into such a list may have to move its neighbours to make room. An event of the commit
    /// that is being made counts, whatever it says, unless it is a consequence that is passed over.
    ///
    /// - Parameter isPassedOver: asked about each event that followed from another one of its commit
    ///   (``CommitRecord/Event/cause``), by its position: whether it is passed over, too. So whoever gives one entity
    ///   a partner, and thereby takes it from another, need not count as having changed either.
    /// - Throws: ``StoreError``; `corrupted` where the log cannot be read.
    /// - Complexity: O(log n) for each event that is passed over, and one more.
    public func lastChange(
        of reference: EntityReference,
        passingOverConsequences isPassedOver: (Position) -> Bool = { _ in false }
    ) throws -> Position? {
        try access.run {
            let model = try access.model(named: reference.model)
            guard var position = try access.row(model, reference.id)?.revision else { return nil }
            while let before = access.previousOfConsequence?(position), before > 0,
                isPassedOver(Position(position))
            {
                position = before
            }
            let log = access.log
            while let event = try log.event(at: position), event.previous > 0,
                event.previous < position
            {
                let isConsequence = event.cause != 0 && isPassedOver(Position(position))
                guard try isConsequence || model.isPlacing(event) else { break }
                position = event.previous
            }
            return Position(position)
        }
    }
}

extension CompiledModel {
    /// Whether an event only gives an entity another place in lists that it is in.
    fileprivate func isPlacing(_ event: EventView) throws -> Bool {
        guard event.type == .updated, !references.isEmpty, case .updated(let changes) = try Change(event) else {
            return false
        }
        return try changes.slots.allSatisfy { change in
            guard references.contains(where: { $0.slot == change.slot }),
                let from = unsafe change.from, let to = unsafe change.to
            else { return false }
            return try unsafe ReferenceBytes(from).target
                .hasSameBytes(as: ReferenceBytes(to).target)
        }
    }
}
