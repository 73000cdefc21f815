/// Rows that a change leaves as they are: all rows of some models, with exceptions.
struct UntouchedRows {
    /// The models, by number.
    private let models: Set<UInt16>
    /// Rows of these models that the change may touch.
    private let exceptions: Set<EntityKey>

    init(models: Set<UInt16>, but exceptions: Set<EntityKey>) {
        self.models = models
        self.exceptions = exceptions
    }

    func contains(model: UInt16, _ id: UnsafeRawBufferPointer) -> Bool {
        guard models.contains(model) else { return false }
        return exceptions.isEmpty || !exceptions.contains(unsafe EntityKey(model: model, id: [UInt8](id)))
    }
}
