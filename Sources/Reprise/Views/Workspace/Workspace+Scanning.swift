internal import RepriseLMDB

/// Walking tables and overlay together.
extension Workspace {
    /// The changed rows of a model that exist, in the order of their identifiers.
    func forEachPendingRow(
        of model: CompiledModel,
        _ body: (UnsafeRawBufferPointer, RowView) throws -> Bool
    ) throws {
        try settle()
        for index in pendingIndices(of: model) {
            let record = rows[index]
            if let row = record.row, try unsafe !body(record.keyBytes, row) { return }
        }
    }

    /// The targets of a list in order, repeats kept; `body` returns false to stop. O(entries).
    func forEachTarget(
        relation: UInt16,
        owner: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        if !lists.isEmpty {
            let list = unsafe ListKey(relation: relation, id: [UInt8](owner))
            for entry in try entries(of: list) {
                guard try unsafe entry.target.withUnsafeBytes({ try unsafe body($0) }) else {
                    return
                }
            }
            return
        }
        var prefix = KeyBuffer()
        prefix.append(bigEndian: relation)
        unsafe prefix.append(escaped: owner)
        var cursor = try base.cursor(tables.edges)
        var isThere = try unsafe cursor.seekList(prefix.bytes)
        while isThere, unsafe cursor.key.starts(with: prefix.bytes) {
            let value = try unsafe EdgeValue(key: cursor.key, value: cursor.value)
            guard try unsafe body(value.target) else { return }
            isThere = try cursor.next()
        }
        if isThere { try cursor.checkEntry() }
    }

    private func pendingIndices(of model: CompiledModel) -> [Int] {
        if let cached = pendingOrder, cached.count == rows.count {
            return cached.filter(of: model, in: self)
        }
        let order = PendingOrder(indices: rows.sortedIndices(), count: rows.count)
        pendingOrder = order
        return order.filter(of: model, in: self)
    }
}

/// The order of the changed rows, kept for the next query of a state that does not change any more.
struct PendingOrder {
    let indices: [Int]
    let count: Int

    func filter(of model: CompiledModel, in workspace: Workspace) -> [Int] {
        indices.filter {
            unsafe Workspace.modelNumber(of: workspace.rows[$0].keyBytes) == model.number
        }
    }
}
