internal import RepriseLog

extension StateReading where Self: ~Copyable {
    /// The position of the last event of an entity that was more than another place in the list on the other side of
    /// one of its to-ones; nil when there is no entity (STO-49).
    ///
    /// Whoever puts something into such a list may have to move its neighbours to make room. An event of the commit
    /// that is being made counts, whatever it says.
    ///
    /// - Throws: ``StoreError``; `corrupted` where the log cannot be read.
    /// - Complexity: O(log n) for each event that is passed over, and one more.
    public func lastChange(of reference: EntityReference) throws -> Position? {
        try access.run {
            let model = try access.model(named: reference.model)
            guard var position = try access.row(model, reference.id)?.revision else { return nil }
            if model.references.isEmpty { return Position(position) }
            let log = access.log
            while let event = try log.event(at: position), event.previous > 0,
                event.previous < position, try model.isPlacing(event)
            {
                position = event.previous
            }
            return Position(position)
        }
    }
}

extension CompiledModel {
    /// Whether an event only gives an entity another place in lists that it is in.
    fileprivate func isPlacing(_ event: EventView) throws -> Bool {
        guard event.type == .updated, case .updated(let changes) = try Change(event) else {
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
