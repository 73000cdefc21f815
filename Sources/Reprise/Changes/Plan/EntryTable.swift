/// A set of entries of lists, each named by its list and its serial.
struct EntryTable: ~Copyable {
    private var table = KeyTable()
    private var key = KeyBuffer()

    mutating func insert(_ list: ListKey, _ serial: UInt64) {
        key.setEdge(list, orderKey: serial)
        unsafe table.set(key.bytes, to: 1)
    }

    mutating func contains(_ list: ListKey, _ serial: UInt64) -> Bool {
        key.setEdge(list, orderKey: serial)
        return unsafe table.find(key.bytes) != nil
    }
}
