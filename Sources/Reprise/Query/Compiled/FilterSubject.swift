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

extension RowHit {
    var subject: FilterSubject { unsafe FilterSubject(id: id, payload: payload) }
}
