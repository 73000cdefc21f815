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

    init(key: UnsafeRawBufferPointer, view: RowView) throws(ValueError) {
        unsafe self.key = key
        self.view = view
        payload = try unsafe RowPayload(trusting: view.payload)
    }

    var id: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[2...]) }
    var subject: FilterSubject { unsafe FilterSubject(id: id, payload: payload) }
}
