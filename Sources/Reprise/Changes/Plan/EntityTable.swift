/// A set of entities. Some fifty bytes for each.
final class EntityTable {
    private var table = KeyTable()
    private var key = KeyBuffer()

    var isEmpty: Bool { table.count == 0 }

    func contains(_ entity: EntityKey) -> Bool {
        if isEmpty { return false }
        key.setRow(entity)
        return unsafe table.find(key.bytes) != nil
    }

    func insert(_ entity: EntityKey) {
        key.setRow(entity)
        unsafe table.set(key.bytes, to: 0)
    }
}
