/// New bytes for some slots of a row. Its room is used again for the next row.
struct SlotValues {
    /// The bytes of all of them, one after the other.
    private(set) var bytes: [UInt8] = []
    private var places: [(slot: Int, range: Range<Int>)] = []

    var isEmpty: Bool { places.isEmpty }

    /// Those that get new bytes, ascending.
    var slots: some Sequence<Int> { places.lazy.map(\.slot) }

    /// Slots come in ascending order.
    mutating func add(_ value: UnsafeRawBufferPointer, for slot: Int) {
        places.append((slot, bytes.count..<bytes.count + value.count))
        unsafe bytes.append(contentsOf: value)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Where the new bytes of a slot lie; nil where it keeps those that it has.
    func range(of slot: Int) -> Range<Int>? {
        for place in places where place.slot == slot { return place.range }
        return nil
    }
}
