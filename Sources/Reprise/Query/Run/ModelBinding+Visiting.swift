extension ModelBinding {
    /// Lends a row to code that knows the Swift type. Returns what `visit` does, and true for a row that is left out.
    func visit(_ hit: RowHit, leavingOut leftOut: UnreadableRows, _ visit: RowVisitor) throws -> Bool {
        do {
            return try unsafe visit(hit.id, hit.payload, slots)
        } catch let error as ValueError {
            let id = unsafe String(decoding: hit.id, as: UTF8.self)
            try leave(error, leftOut, unreadable(id, error, hit.payload))
            return true
        }
    }
}
