/// What a filter looks at: one row where it lies, or one element of a collection.
@safe
struct FilterSubject {
    let id: UnsafeRawBufferPointer
    let payload: RowPayload
    /// The element's bytes, in a condition on elements; nil where the element is nil.
    let element: UnsafeRawBufferPointer?

    init(id: UnsafeRawBufferPointer, payload: RowPayload, element: UnsafeRawBufferPointer? = nil) {
        unsafe self.id = id
        self.payload = payload
        unsafe self.element = element
    }
}

/// One row that a query looks at.
@safe
struct RowHit {
    /// Model number and identifier.
    let key: UnsafeRawBufferPointer
    let view: RowView
    let payload: RowPayload
    /// Whether nobody has looked at the checksum yet: then the row lies in the table of rows.
    let isUnchecked: Bool

    @inline(__always)
    init(
        key: UnsafeRawBufferPointer,
        view: RowView,
        isUnchecked: Bool = false
    ) throws(ValueError) {
        unsafe self.key = key
        self.view = view
        self.isUnchecked = isUnchecked
        payload = try unsafe RowPayload(trusting: view.payload)
    }

    var id: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[2...]) }
    var subject: FilterSubject { unsafe FilterSubject(id: id, payload: payload) }

    /// Throws unless the row matches its checksum. Does nothing where that was looked at.
    func check() throws(StoreError) {
        if isUnchecked { try unsafe view.check(key: key) }
    }

    /// The row with its checksum looked at.
    func checked() throws -> RowHit {
        guard isUnchecked else { return self }
        try check()
        return try unsafe RowHit(key: key, view: view)
    }
}
