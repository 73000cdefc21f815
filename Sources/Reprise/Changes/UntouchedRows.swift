/// Rows that a change leaves as they are: all of some models but a few.
struct UntouchedRows {
    /// The numbers of the models.
    let models: Set<UInt16>
    let exceptions: Set<EntityKey>

    init(models: Set<UInt16>, but exceptions: Set<EntityKey>) {
        self.models = models
        self.exceptions = exceptions
    }

    func contains(model: UInt16, _ id: UnsafeRawBufferPointer) -> Bool {
        guard models.contains(model) else { return false }
        return exceptions.isEmpty || !exceptions.contains(unsafe EntityKey(model: model, id: [UInt8](id)))
    }
}
