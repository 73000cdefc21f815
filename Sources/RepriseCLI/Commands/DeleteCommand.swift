import Reprise

/// `reprise delete`: deletes an entity by the rules of its relationships, or shows what would happen.
struct DeleteCommand: Command {
    var store: StoreLocation
    var entity: EntityReference
    /// Only show what would go, and what forbids it.
    var isPlanOnly = false
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let plan = try store.open { store in
            let model = try store.schema.model(typed: entity.model)
            let exists = try store.read { transaction in
                try transaction.record(model: model.name, id: entity.id, lists: false) != nil
            }
            guard exists else { throw CommandFailure.missing(entity) }
            return try carryOut(in: store)
        }
        if isJSON {
            try console.json { Self.write(plan, to: &$0) }
        } else {
            try show(plan, &console)
        }
        return plan.isDenied ? .no : .done
    }

    /// What was done, or would be. A denied deletion changes nothing, so planning it is reporting it.
    private func carryOut(in store: Store) throws -> DeletionPlan {
        if isPlanOnly { return try store.read { try $0.plan(delete: entity) } }
        do {
            return try store.write(CommitContext(intent: "delete")) { transaction in
                try transaction.delete(entity)
            }
        } catch let error as StoreError where error.code == .deleteDenied {
            return try store.read { try $0.plan(delete: entity) }
        }
    }

    private static func write(_ plan: DeletionPlan, to writer: inout JSONWriter) {
        writer.key("deleted")
        writer.array { writer in
            for reference in plan.deleted { writer.object { $0.members(reference) } }
        }
        writer.key("nullified")
        writer.array { writer in
            for nullified in plan.nullified {
                writer.object { writer in
                    writer.members(nullified.entity)
                    writer.member("attribute", nullified.attribute)
                }
            }
        }
        writer.key("unlinked")
        writer.array { writer in
            for unlinked in plan.unlinked {
                writer.object { writer in
                    writer.members(unlinked.owner)
                    writer.member("relationship", unlinked.relationship)
                    writer.member("target", unlinked.entry.target)
                }
            }
        }
        writer.key("deniedBy")
        writer.array { writer in
            for denial in plan.deniedBy {
                writer.object { writer in
                    writer.members(denial.partner)
                    writer.member("relationship", denial.relationship)
                    writer.key("denies")
                    writer.object { $0.members(denial.entity) }
                }
            }
        }
    }

    private func show(_ plan: DeletionPlan, _ console: inout Console) throws {
        if plan.isDenied {
            try console.output.line("\(Self.name(entity)) cannot be deleted:")
            for denial in plan.deniedBy {
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
        for reference in plan.deleted {
            try console.output.line("\(deletes) \(Self.name(reference))")
        }
        for nullified in plan.nullified {
            try console.output.line(
                "\(clears) \(nullified.attribute) of \(Self.name(nullified.entity))"
            )
        }
        for unlinked in plan.unlinked {
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
