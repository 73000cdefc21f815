internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Brings an entity back: with its links, in its old place in every list, and with what its deletion had taken
    /// along. What was done since stays.
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - id: the entity.
    ///   - point: whose values it gets; nil for those that it had before it was deleted. An entity that is there gets
    ///     the values and entries that it had then.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself. Its causation becomes the commit that deleted the entity.
    /// - Returns: what was done, with all conflicts.
    /// - Throws: `entityMissing` where it was not there at `point`, or never was and no point is given; `entityExists`
    ///   where it is there and no point is given; `unknownPosition`, `unknownSnapshot`; and as a write.
    /// - Complexity: O(what the deletion took along · log n), O(events of the commit that deleted it), and O(changes
    ///   since `point`).
    public func restore<M: Model>(
        _ type: M.Type = M.self,
        id: M.ID,
        asOf point: Point? = nil,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "restore")
    ) throws -> ChangeSet.Report {
        try restore(EntityReference(id), asOf: point, resolving: resolution, isPlan: isPlan, context: context)
    }

    /// As ``restore(_:id:asOf:resolving:isPlan:context:)``, by stored names.
    ///
    /// - Parameters:
    ///   - reference: the entity.
    ///   - point: whose values it gets; nil for those that it had before it was deleted.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    public func restore(
        _ reference: EntityReference,
        asOf point: Point? = nil,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "restore")
    ) throws -> ChangeSet.Report {
        let report = try merge(context, resolving: resolution, isPlan: isPlan) { ground in
            let model = try ground.workspace.schema.model(named: reference.model)
            let entity = EntityKey(model: model.number, id: reference.id)
            let isThere = try ground.workspace.contains(entity)
            let deletion = isThere ? nil : try Self.deletion(of: entity, ground)
            if point == nil {
                if isThere { throw StoreError.entityExists(reference) }
                if deletion == nil { throw Self.wasNeverThere(reference) }
            }
            let then = try point.map { try Self.delta(of: entity, reference, to: $0, isThere, ground) }
            let commit = try deletion.flatMap { try ground.log.commit(holding: $0) }
            return MergeWish(takenBack: commit.map { [$0] } ?? []) { body in
                var isGiven = false
                if let deletion {
                    var gathering = try ground.gathering()
                    let schema = ground.workspace.schema
                    let trace = try gathering.takeBackDeletion(of: entity, at: deletion, schema, ground.log)
                    try gathering.forEachDelta { delta in
                        let isIt = delta.entity == entity
                        if try trace.hasDeleted(delta.entity) && !ground.workspace.contains(delta.entity) { return }
                        isGiven = isGiven || isIt
                        try body(isIt ? then ?? delta : delta)
                    }
                }
                if !isGiven, let then { try body(then) }
            }
        }
        return try Self.made(report)
    }

    /// The position of the event that deleted an entity, which is not there; nil where it never was.
    private static func deletion(of entity: EntityKey, _ ground: MergeGround) throws -> UInt64? {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe ground.workspace.find(key.bytes)
        let position = try unsafe ground.workspace.lastPosition(of: key.bytes, found: found)
        return position > 0 ? position : nil
    }

    /// What has to happen to an entity so that it is as it was at a point.
    private static func delta(
        of entity: EntityKey,
        _ reference: EntityReference,
        to point: Point,
        _ isThere: Bool,
        _ ground: MergeGround
    ) throws -> EntityDelta {
        let target = try ground.travel.position(of: point)
        var gathering = try ground.gathering()
        try ground.travel.forEachStep(from: ground.head, to: target) { event, isUndone in
            guard unsafe event.model == entity.model && event.id.elementsEqual(entity.id) else { return }
            try gathering.add(event, isUndone: isUndone)
        }
        var delta = EntityDelta(entity: entity, row: .same, entries: EntryDeltas())
        try gathering.forEachDelta { delta = $0 }
        let wasThere =
            switch delta.row {
            case .inserted, .updated: true
            case .same: isThere
            case .deleted: false
            }
        guard wasThere else {
            throw StoreError(
                .entityMissing,
                "There was no \(reference) at that point.",
                advice: "Its history tells when it was there."
            )
        }
        return delta
    }

    private static func wasNeverThere(_ reference: EntityReference) -> StoreError {
        StoreError(
            .entityMissing,
            "The present timeline has never had \(reference).",
            advice: "Check the identifier. Name a point where only a timeline that a rollback has left had it."
        )
    }
}
