/// Numbers by list and number: what is known of places in lists by their order keys, or of entries by their identities.
/// Some sixty bytes for each.
final class PlaceTable {
    private var table = KeyTable()
    private var key = KeyBuffer()

    var isEmpty: Bool { table.count == 0 }

    subscript(list: ListKey, number: UInt64) -> UInt64? {
        get {
            key.setEdge(list, orderKey: number)
            return unsafe table.find(key.bytes)
        }
        set {
            guard let newValue else { preconditionFailure("Nothing is ever taken out.") }
            key.setEdge(list, orderKey: number)
            unsafe table.set(key.bytes, to: newValue)
        }
    }

    func contains(_ list: ListKey, _ number: UInt64) -> Bool { self[list, number] != nil }

    func insert(_ list: ListKey, _ number: UInt64) { self[list, number] = 0 }
}
