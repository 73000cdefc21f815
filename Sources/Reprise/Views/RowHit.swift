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
        of model: CompiledModel,
        isUnchecked: Bool = false
    ) throws(ValueError) {
        unsafe self.key = key
        self.view = view
        self.isUnchecked = isUnchecked
        payload = try unsafe RowPayload(trusting: view.payload, model.defaults)
    }

    var id: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[2...]) }

    /// Throws unless the row matches its checksum. Does nothing where that was looked at.
    func check() throws(StoreError) {
        if isUnchecked { try unsafe view.check(key: key) }
    }

    /// The row with its checksum looked at.
    func checked() throws -> RowHit {
        try check()
        return RowHit(checked: self)
    }

    private init(checked hit: RowHit) {
        unsafe key = hit.key
        view = hit.view
        payload = hit.payload
        isUnchecked = false
    }
}
