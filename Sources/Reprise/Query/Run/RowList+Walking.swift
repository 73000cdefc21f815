internal import RepriseLMDB

extension RowList {
    /// Hands over the identifiers of the rows, those in the overlay too, as often as the list leads to them. `body`
    /// returns false to stop.
    ///
    /// - Parameter checksEntries: whether the entry is looked up that a way back leads from, which has the checksum.
    /// - Throws: damage where an entry does not match its checksum, or a way back leads to no entry.
    func forEachRow(
        in workspace: Workspace,
        checksEntries: Bool = true,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        switch self {
        case .members(let list):
            guard list.id.count <= identifierByteCountMax else { return }
            try unsafe list.id.withUnsafeBytes {
                try unsafe workspace.forEachTarget(relation: list.relation, owner: $0, body)
            }
        case .owners(let target):
            guard target.id.count <= identifierByteCountMax else { return }
            try workspace.forEachBacklink(of: target) { backlink in
                if checksEntries {
                    let list = ListKey(relation: target.relation, id: backlink.owner)
                    guard try workspace.entry(of: list, at: backlink.orderKey)?.target == target.id else {
                        let id = String(decoding: target.id, as: UTF8.self)
                        throw StoreError.damage("A way back to \"\(id)\" leads to an entry that is not there.")
                    }
                }
                return try unsafe backlink.owner.withUnsafeBytes { try unsafe body($0) }
            }
        case .target(let entity, let slot):
            guard entity.id.count <= identifierByteCountMax, let row = try workspace.row(entity),
                let bytes = try unsafe RowPayload(trusting: row.payload).slot(slot)
            else { return }
            _ = try unsafe body(try ReferenceBytes(bytes).target)
        }
    }
}

/// Walking lists.
extension QueryExecutor {
    /// The members of the list that is asked for, in its order, repeats kept.
    func forEachMember(of list: ListPlace, _ body: (RowHit) throws -> Bool) throws {
        var key = KeyBuffer()
        try unsafe rows(of: list).forEachRow(in: workspace) { id in
            tally.entries += 1
            unsafe key.setRow(model: model.number, id: id)
            guard let row = try unsafe workspace.row(key.bytes) else { throw unsafe missing(id) }
            tally.rows += 1
            return try pass(unsafe RowHit(key: key.bytes, view: row, of: model), body)
        }
    }

    /// How many members the list has.
    func memberCount(of list: ListPlace) throws -> Int {
        var count = 0
        try unsafe rows(of: list).forEachRow(in: workspace) { _ in
            count += 1
            return true
        }
        return count
    }

    /// The rows that some lists lead to, each once, in the order of identifiers; those of the overlay are left out.
    func walk(_ lists: [RowList], _ body: (RowHit) throws -> Bool) throws {
        let arena = Arena()
        let members = ReferencingRows(lists, of: model)
        var ids = IdentifierList()
        for list in lists {
            try unsafe list.forEachRow(in: workspace) { id in
                tally.entries += 1
                unsafe ids.append(UnsafeRawBufferPointer(start: arena.copy(id), count: id.count))
                return true
            }
        }
        ids.sortOnce()
        var finder = RowFinder(self)
        defer { add(finder) }
        let nothing = unsafe RowView(created: 0, revision: 0, payload: Self.emptyRow(in: arena))
        for index in 0..<ids.count {
            unsafe finder.begin(ids[index])
            if plan.isCovering {
                if finder.isInOverlay { continue }
                let hit = unsafe try RowHit(key: finder.key.bytes, view: nothing, of: model)
                guard try pass(hit, body) else { return }
            } else if let hit = try finder.find() {
                guard try members?.contains(hit) ?? true else { throw try finder.misfit(hit) }
                guard try pass(hit, body) else { return }
            }
        }
    }

    private func rows(of list: ListPlace) -> RowList {
        list.isDerived ? .owners(of: list.key) : .members(of: list.key)
    }

    private func missing(_ id: UnsafeRawBufferPointer) -> StoreError {
        let id = unsafe String(decoding: id, as: UTF8.self)
        return .damage("A list names \(model.name) \"\(id)\", which does not exist.")
    }

    /// A row without attributes, for walks of which only the identifiers are wanted.
    private static func emptyRow(in arena: Arena) -> UnsafeRawBufferPointer {
        let payload: [UInt8] = [0, 0]
        return unsafe payload.withUnsafeBytes {
            unsafe UnsafeRawBufferPointer(start: arena.copy($0), count: $0.count)
        }
    }
}

/// The rows that refer to the owners of some lists: a row that such a list names has to be one of them.
private struct ReferencingRows {
    /// By the slot that holds the reference.
    private var owners: [Int: Set<[UInt8]>] = [:]

    /// Nil where the members of a list hold no reference.
    init?(_ lists: [RowList], of model: CompiledModel) {
        for list in lists {
            guard case .members(let key) = list,
                let reference = model.references.first(where: { $0.relation.number == key.relation })
            else { return nil }
            owners[reference.slot, default: []].insert(key.id)
        }
    }

    func contains(_ hit: RowHit) throws -> Bool {
        for (slot, owners) in owners {
            guard let bytes = unsafe hit.payload.slot(slot) else { continue }
            let target = try unsafe ReferenceBytes(bytes).target
            if owners.count == 1, let owner = owners.first {
                if unsafe owner.withUnsafeBytes({ unsafe target.hasSameBytes(as: $0) }) { return true }
            } else if owners.contains(unsafe [UInt8](target)) {
                return true
            }
        }
        return false
    }
}
