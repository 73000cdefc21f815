internal import RepriseLog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The history of one entity.
extension StateReading where Self: ~Copyable {
    /// Hands over the events of an entity, the last one first, without a look at those of others (STO-52).
    ///
    /// Only events that are alive are met: what a rollback took back never happened to the entity. Those of the commit
    /// that is being made are passed over. An entity that was deleted has the events of its life, and one that was
    /// inserted again those of its lives before.
    ///
    /// ```swift
    /// // What was the name, and since when?
    /// try store.read { state in
    ///     try state.forEachEvent(of: EntityReference(model: "team", id: "blue")) { event in
    ///         for change in event.changes where change.name == "name" { print(event.position, change.to) }
    ///         return true
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reference: the entity. One that never was has no events.
    ///   - body: gets one event; returns false to stop.
    /// - Throws: ``StoreError``: `unknownModel`, `newerFormat` for an event of a version that is not known, `corrupted`
    ///   where the log cannot be read; and what `body` throws.
    /// - Complexity: O(log n) for each event that is handed over.
    public func forEachEvent(
        of reference: EntityReference,
        _ body: (EventRecord) throws -> Bool
    ) throws {
        try access.run {
            let model = try access.model(named: reference.model)
            let reader = EventRecordReader(schema: access.workspace.schemaInForce)
            try access.forEachEvent(of: reference.id, model) { event in
                // Only annotations say when they were made, and they are no entity's.
                let record = try reader.record(event, at: .distantPast)
                return try access.lettingGo { try body(record) }
            }
        }
    }

    /// The event at a position, be it alive or not; nil for the origin, for positions that do not exist yet, and for
    /// those of the commit that is being made.
    ///
    /// - Throws: ``StoreError``: `newerFormat` for an event of a version that is not known, `corrupted` where the log
    ///   cannot be read.
    /// - Complexity: O(log n), and O(events of its block).
    public func event(at position: Position) throws -> EventRecord? {
        try access.run {
            let log = access.log
            guard let event = try log.event(at: position.rawValue),
                let commit = try log.commit(holding: position.rawValue)
            else { return nil }
            return try EventRecordReader(schema: access.workspace.schemaInForce).record(
                event,
                at: Date(microsecondsSince1970: commit.metadata.timeMicroseconds)
            )
        }
    }
}

extension StateAccess {
    /// The events of an entity from the last one back, those of the commit that is being made left out.
    ///
    /// - Parameter body: returns false to stop.
    func forEachEvent(
        of id: String,
        _ model: CompiledModel,
        _ body: (EventView) throws -> Bool
    ) throws {
        let log = log
        var position = try lastPosition(of: id, model)
        while let link = earlierEvent?(position) { position = link.previous }
        while position > 0, let event = try log.event(at: position) {
            try Change.checkVersion(of: event)
            guard unsafe event.model == model.number && event.id.elementsEqual(id.utf8) else {
                throw StoreError.damage("The history of an entity leads to an event of another one.")
            }
            guard try body(event) else { return }
            guard event.previous < position else {
                throw StoreError.damage("The history of an entity leads forward.")
            }
            position = event.previous
        }
    }

    /// The position of an entity's last event: that of its revision, or of its deletion; 0 where it never was.
    private func lastPosition(of id: String, _ model: CompiledModel) throws -> UInt64 {
        if let row = try row(model, id) { return row.revision }
        guard id.utf8.count <= identifierByteCountMax else { return 0 }
        // It has just been looked for under this key.
        let key = unsafe workspace.keyBuffer.bytes
        return try unsafe workspace.lastPosition(of: key, found: workspace.find(key))
    }
}
