/// Rows that are kept until all are known, to be handed over in order. Of each 56 bytes and its key are kept; the rest
/// lies in the mapped file or in the overlay.
final class KeptRows {
    @safe
    private struct Kept {
        let rank: UInt64
        let key: UnsafeRawPointer
        let keyCount: Int32
        let view: RowView

        func hit(of model: CompiledModel) throws -> RowHit {
            unsafe try RowHit(
                key: UnsafeRawBufferPointer(start: key, count: Int(keyCount)),
                view: view,
                of: model
            )
        }
    }

    private let model: CompiledModel
    private let order: RowOrder
    private let limit: Int?
    private let copiesPayload: Bool
    private let arena = Arena()
    private var rows: [Kept] = []
    /// Rows that come after this one are not among the best any more.
    private var worst: Kept?

    /// - Parameters:
    ///   - limit: keep only so many of the first; nil keeps all.
    ///   - copiesPayload: whether the rows' bytes are gone after ``add(_:)``.
    init(_ model: CompiledModel, _ order: RowOrder, limit: Int?, copiesPayload: Bool) {
        self.model = model
        self.order = order
        self.limit = limit
        self.copiesPayload = copiesPayload
    }

    var count: Int { rows.count }

    func add(_ hit: RowHit) throws {
        if limit == 0 { return }
        let rank = try order.rank(hit.subject)
        if let worst {
            if rank > worst.rank { return }
            if rank == worst.rank, try order.compare(worst.hit(of: model).subject, hit.subject) <= 0 {
                return
            }
        }
        var view = hit.view
        if copiesPayload {
            let payload = unsafe UnsafeRawBufferPointer(
                start: arena.copy(view.payload),
                count: view.payload.count
            )
            unsafe view = RowView(created: view.created, revision: view.revision, payload: payload)
        }
        unsafe rows.append(
            Kept(
                rank: rank,
                key: arena.copy(hit.key),
                keyCount: Int32(hit.key.count),
                view: view
            )
        )
        if let limit, (rows.count - 1024) / 2 >= limit {
            try sort()
            rows.removeLast(rows.count - limit)
            worst = rows.last
        }
    }

    /// Hands over the rows in order. Returns whether `body` wanted to go on to the end.
    @discardableResult
    func forEach(_ body: (RowHit) throws -> Bool) throws -> Bool {
        try sort()
        for row in rows.prefix(limit ?? .max) {
            guard try body(row.hit(of: model)) else { return false }
        }
        return true
    }

    private func sort() throws {
        if rows.count < 2 { return }
        try rows.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            return try order.compare(left.hit(of: model).subject, right.hit(of: model).subject) < 0
        }
    }
}
