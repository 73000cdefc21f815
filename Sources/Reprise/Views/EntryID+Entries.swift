extension EntryID {
    init(_ entry: ListEntry) {
        self.init(
            serial: entry.serial,
            target: String(decoding: entry.target, as: UTF8.self),
            place: entry.orderKey
        )
    }

    /// Of a derived side.
    init(_ backlink: Backlink) {
        self.init(
            serial: backlink.orderKey,
            target: String(decoding: backlink.owner, as: UTF8.self)
        )
    }
}
