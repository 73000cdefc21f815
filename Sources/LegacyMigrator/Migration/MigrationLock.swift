import Reprise

/// Keeps a second migration out of a store while one is made, in this process or in another one.
///
/// It is the store's lock for long work, which ends with the process however that ends; nothing is left on the disk.
struct MigrationLock: ~Copyable {
    private let store: Store

    /// - Throws: ``MigrationError`` with `inProgress` where another migration has the lock, and `StoreError`.
    init(_ store: Store) throws {
        guard try store.takeWorkLock() else { throw MigrationError.inProgress(path: store.path) }
        self.store = store
    }

    deinit { store.releaseWorkLock() }
}
