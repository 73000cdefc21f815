internal import RepriseLMDB
internal import RepriseLog

/// What taking in an export came to, or would come to.
package struct IntakeReport: Sendable {
    /// What has become of the entities of one model.
    package struct Counts: Sendable, Hashable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0

        package init() {}
    }

    /// What was done, and the conflicts that were settled.
    package let report: ChangeSet.Report
    /// What has become of the entities of each model.
    package let counts: [String: Counts]
    /// What is different from the export because it was changed here.
    package let deviations: Deviations
    /// How many rows and lists were changed here to what the export has come to say.
    package let agreedCount: Int

    /// Whether a commit would say anything.
    package var isEmpty: Bool { counts.isEmpty && agreedCount == 0 }
}

/// An annotation that a commit is to have.
package struct CommitNote: Sendable {
    package let name: String
    package let key: String
    package let payload: [UInt8]

    package init(name: String, key: String, payload: [UInt8]) {
        (self.name, self.key, self.payload) = (name, key, payload)
    }
}

/// What the commit that takes in an export says beside the changes.
package protocol IntakeNotes: AnyObject {
    /// Looks at what would be done, before anything is. What it throws leaves all as it is.
    ///
    /// - Returns: whether a commit is to be made, be there anything to do or not.
    func check(_ report: IntakeReport) throws -> Bool
    /// The name of the state before; nil for none.
    func snapshotName() throws -> String?
    /// What comes before the changes.
    func opening(first: Position) throws -> [CommitNote]
    /// What comes behind the changes.
    func ending(first: Position, _ report: IntakeReport) throws -> [CommitNote]
}

extension Store {
    /// Makes a store what an export says, in one commit: what has changed in the export since the last one comes, what
    /// was changed here stays, and where both have changed the same the export's counts (HIS-115).
    ///
    /// - Parameters:
    ///   - intake: what the export says, in order.
    ///   - base: the end of the commit that took in the last export of the source; nil where there is none. Then what
    ///     is there is compared.
    ///   - deviations: what that commit left otherwise than the export said it, as far as the log says so.
    ///   - saysKept: whether the log says all of it; an older version did not.
    ///   - observer: who it is compared for.
    ///   - isPlan: whether it is only looked at what would be done.
    ///   - context: what the commit says of itself.
    ///   - notes: what the commit has beside the changes; it is only made where there are any.
    package func takeIn(
        _ intake: Intake,
        since base: Position?,
        deviations: Deviations,
        saysKept: Bool,
        observer: any IntakeObserver,
        isPlan: Bool,
        context: CommitContext,
        notes: any IntakeNotes
    ) throws -> IntakeReport {
        var outcome: IntakeReport?
        _ = try merge(context, resolving: .intake, isPlan: isPlan) { ground in
            guard ground.workspace.schema.number == intake.schema.number else {
                throw StoreError(
                    .schemaMismatch,
                    "The schema of the store was changed while an export was read.",
                    advice: "Nothing was written. Read it again."
                )
            }
            let comparison = try IntakeComparison(
                intake,
                ground,
                since: base?.rawValue,
                known: deviations,
                saysKept: saysKept,
                observer: observer
            )
            let first = Position(ground.head + 1)
            var wish = MergeWish(takenBack: [], keepsLeadingToKept: .toOnes) { body in
                observer.begin()
                try comparison.forEachDelta(body)
            }
            wish.leavesOutTaken = true
            wish.decided = { plan, report in
                let found = IntakeReport(
                    report: report,
                    counts: try plan.countsByModel(ground.workspace.schema),
                    deviations: try comparison.deviations(report),
                    agreedCount: comparison.agreedCount
                )
                outcome = found
                return try !notes.check(found) && found.isEmpty
            }
            wish.opening = { session in
                if let name = try notes.snapshotName() { _ = try session.createSnapshot(named: name) }
                try session.annotate(notes.opening(first: Position(session.builder.nextPosition)))
            }
            wish.ending = { session, _ in
                guard let outcome else { return }
                try session.annotate(notes.ending(first: first, outcome))
            }
            return wish
        }
        guard let outcome else { throw StoreError.damage("Taking in an export has come to nothing.") }
        return outcome
    }
}

extension ChangeSet.Resolution {
    /// What an export says anew counts; what it says no more does not take away what was changed or is used.
    fileprivate static let intake = ChangeSet.Resolution { conflict in
        switch conflict.kind {
        case .changed, .moved, .existing: .theirs
        case .changedSince, .used, .gone, .taken, .missing, .lacking: .ours
        }
    }
}

extension WriteSession {
    fileprivate func annotate(_ notes: [CommitNote]) throws {
        for note in notes { _ = try annotate(name: note.name, key: note.key, payload: note.payload) }
    }
}

extension ChangePlan {
    /// What becomes of the entities of each model. That members of a list come into another order is a change of its
    /// owner, and so is a change of entries.
    fileprivate func countsByModel(_ schema: CompiledSchema) throws -> [String: IntakeReport.Counts] {
        var counts: [UInt16: IntakeReport.Counts] = [:]
        var owners: Set<EntityKey> = []
        try rows.forEach { entity, row in
            switch row {
            case .insert: counts[entity.model, default: .init()].inserted += 1
            case .delete: counts[entity.model, default: .init()].deleted += 1
            case .update(let from, let to):
                let moved = try Self.listsOfMoves(from, to, try schema.model(entity.model))
                if let moved { owners.formUnion(moved) } else { counts[entity.model, default: .init()].updated += 1 }
            }
        }
        try entries.forEach { owners.insert($0.list.owner) }
        for owner in owners where try rows.row(of: owner) == nil { counts[owner.model, default: .init()].updated += 1 }
        return Dictionary(uniqueKeysWithValues: try counts.map { (try schema.model($0.key).name, $0.value) })
    }

    /// The owners of the lists in which a row gets another place; nil where anything else of it changes.
    private static func listsOfMoves(_ from: [UInt8], _ to: [UInt8], _ model: CompiledModel) throws -> [EntityKey]? {
        var owners: [EntityKey] = []
        for change in try DeltaComposer.differences(from, to) {
            guard let reference = model.referenceSlots.first(where: { $0.slot == change.slot }),
                let before = try ReferencePlace(change.from), let after = try ReferencePlace(change.to),
                before.target == after.target
            else { return nil }
            owners.append(EntityKey(model: reference.targetModel, id: after.target))
        }
        return owners
    }
}
