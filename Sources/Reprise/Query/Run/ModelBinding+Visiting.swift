extension ModelBinding {
    /// Lends a row to code that knows the Swift type. Returns what `visit` does.
    func visit(_ hit: RowHit, _ visit: RowVisitor) throws -> Bool {
        do {
            return try unsafe visit(hit.id, hit.payload, slots)
        } catch let error as ValueError {
            throw unsafe unreadable(String(decoding: hit.id, as: UTF8.self), error)
        }
    }
}
