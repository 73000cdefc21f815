import Reprise

/// `reprise delete`: deletes an entity by the rules of its relationships, or shows what would happen.
struct DeleteCommand: Command {
    var store: StoreLocation
    var entity: EntityReference
    /// Only show what would go, and what forbids it.
    var isPlanOnly = false
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let effect = try store.open(for: isPlanOnly ? .reading : .writing) { store in
            let model = try store.schema.model(typed: entity.model)
            let exists = try store.read { transaction in
                try transaction.record(model: model.name, id: entity.id, lists: false) != nil
            }
            guard exists else { throw CommandFailure.missing(entity) }
            return try carryOut(in: store)
        }
        if isJSON {
            try console.json(effect.write)
        } else {
            try show(effect, &console)
        }
        return effect.deniedBy.isEmpty ? .done : .no
    }

    /// What was done, or would be.
    private func carryOut(in store: Store) throws -> DeletionEffect {
        if isPlanOnly {
            return DeletionEffect(try store.read { try $0.plan(delete: entity) })
        }
        do {
            let plan = try store.write(CommitContext(intent: "delete")) { transaction in
                try transaction.delete(entity)
            }
            return DeletionEffect(plan)
        } catch let error as StoreError {
            guard case .deleteDenied(let denials) = error.cause else { throw error }
            return DeletionEffect(deniedBy: denials)
        }
    }

    private func show(_ effect: DeletionEffect, _ console: inout Console) throws {
        if !effect.deniedBy.isEmpty {
            try console.output.line("\(Self.name(entity)) cannot be deleted:")
            for denial in effect.deniedBy {
                try console.output.line(
                    "  \(denial.relationship) of \(Self.name(denial.entity)) still holds "
                        + Self.name(denial.partner)
                )
            }
            return
        }
        let (deletes, clears, removes) =
            isPlanOnly
            ? ("would delete", "would clear", "would remove") : ("deleted", "cleared", "removed")
        for reference in effect.deleted {
            try console.output.line("\(deletes) \(Self.name(reference))")
        }
        for nullified in effect.nullified {
            try console.output.line(
                "\(clears) \(nullified.attribute) of \(Self.name(nullified.entity))"
            )
        }
        for unlinked in effect.unlinked {
            let target = DisplayWidth.visible(unlinked.entry.target)
            try console.output.line(
                "\(removes) \"\(target)\" from \(unlinked.relationship) of \(Self.name(unlinked.owner))"
            )
        }
    }

    private static func name(_ reference: EntityReference) -> String {
        DisplayWidth.visible(reference.description)
    }
}

/// What a deletion does, or what forbids it: in a plan both, otherwise one of them.
private struct DeletionEffect {
    var deleted: [EntityReference] = []
    var nullified: [DeletionPlan.NullifiedReference] = []
    var unlinked: [DeletionPlan.UnlinkedEntry] = []
    var deniedBy: [DeletionPlan.Denial]

    init(_ plan: DeletionPlan) {
        deleted = plan.deleted
        nullified = plan.nullified
        unlinked = plan.unlinked
        deniedBy = plan.deniedBy
    }

    init(deniedBy: [DeletionPlan.Denial]) {
        self.deniedBy = deniedBy
    }

    func write(to writer: inout JSONWriter) {
        writer.key("deleted")
        writer.objects(deleted) { $1.members($0) }
        writer.key("nullified")
        writer.objects(nullified) { nullified, writer in
            writer.members(nullified.entity)
            writer.member("attribute", nullified.attribute)
        }
        writer.key("unlinked")
        writer.objects(unlinked) { unlinked, writer in
            writer.members(unlinked.owner)
            writer.member("relationship", unlinked.relationship)
            writer.member("target", unlinked.entry.target)
        }
        writer.key("deniedBy")
        writer.objects(deniedBy) { denial, writer in
            writer.members(denial.partner)
            writer.member("relationship", denial.relationship)
            writer.key("denies")
            writer.object { $0.members(denial.entity) }
        }
    }
}
