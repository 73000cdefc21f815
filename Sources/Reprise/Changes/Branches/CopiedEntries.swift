internal import RepriseLMDB

/// Looks for entries that two stores may have from one copy of a store, each under another name (HIS-111).
///
/// A branch cannot tell a copy of its parent from the parent, and calls an entry of the copy by a position of the
/// parent. The parent can tell them apart, and gives the copy a number. Where both stores have applied a file from the
/// copy, the entries of the copy would stand in a list twice after a merge.
struct CopiedEntries {
    private let workspace: Workspace
    private let ours: BranchSide
    /// Nil where changes come from a file.
    private let theirs: BranchSide?
    /// That of theirs.
    private let lineage: Lineage
    private let numbers: Renumbering?

    /// - Parameters:
    ///   - workspace: the state of ours.
    ///   - theirs: the store that is merged; nil where changes come from a file.
    ///   - lineage: that of the store that the changes are of.
    ///   - numbers: what the numbers of that store are in ours; nil where they are the same.
    init(
        in workspace: Workspace,
        of ours: BranchSide,
        from theirs: BranchSide?,
        _ lineage: Lineage,
        _ numbers: Renumbering? = nil
    ) {
        (self.workspace, self.ours, self.theirs) = (workspace, ours, theirs)
        (self.lineage, self.numbers) = (lineage, numbers)
    }

    private enum Origin {
        case known
        /// The entry has the number of a store that has written no part of either log.
        case elsewhere
        /// The entry has a position of one of the two logs as its name, and that log has not made the entry there.
        case claimed
    }

    /// - Throws: `notABranch` where an entry that comes may be one that is there.
    func check(_ delta: EntityDelta) throws {
        guard !delta.entries.isEmpty, let model = try? workspace.schema.model(delta.entity.model) else { return }
        try delta.entries.forEach { entry in
            guard entry.from == nil, let end = model.ownedLists.first(where: { $0.relation.number == entry.relation })
            else { return }
            let list = ListPlace(end: end, owner: delta.entity)
            let origin = try origin(of: entry.serial, in: list.key, to: entry.target, comes: true)
            if origin == .known { return }
            let present = try workspace.entries(of: list, to: entry.target, behind: nil, limit: .max)
            if present.contains(where: { $0.serial == entry.serial }) { return }
            for other in present {
                let others = try self.origin(of: other.serial, in: list.key, to: entry.target, comes: false)
                if others != .known, others != origin { throw try Self.double(entry, in: list, workspace.schema) }
            }
        }
    }

    private func origin(of serial: UInt64, in list: ListKey, to target: [UInt8], comes: Bool) throws -> Origin {
        guard let name = EntryName(serial: serial) else { return .known }
        guard ours.lineage.has(branch: name.branch) || lineage.has(branch: name.branch) else { return .elsewhere }
        if ours.lineage.position(of: name) != nil { return .claimed }
        // Theirs gives the name of another store only to what it has not made itself.
        guard let theirs, let position = theirs.lineage.position(of: name), !comes else { return .known }
        let relation = numbers?.theirRelation(list.relation) ?? list.relation
        let own = ListKey(relation: relation, id: list.id)
        return try theirs.made(position, in: own) == target ? .known : .claimed
    }

    private static func double(_ entry: EntryDelta, in list: ListPlace, _ schema: CompiledSchema) throws -> StoreError {
        let owner = EntityReference(model: try schema.model(list.owner.model).name, id: list.owner.text)
        let target = String(decoding: entry.target, as: UTF8.self)
        let name = list.end.displayName(in: schema.description)
        return StoreError(
            .notABranch,
            "\"\(target)\" in \(name) of \(owner) comes from a copy of one of the two stores. It may be there "
                + "already: the stores call it by different names.",
            advice: "Nothing was written. Take the file of changes from the copy back with `revert`, in the store that "
                + "was not copied, and merge the two. Apply the file to the store that was copied, and merge again."
        )
    }
}
