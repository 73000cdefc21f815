/// A leaf of object identifiers or UUIDs: blocks of eight, before each a byte whose bits say which of them are null.
///
/// Source: `array_fixed_bytes.hpp` of realm-core 20.1.5 (Apache-2.0).
struct RecordLeaf {
    private let node: ArrayNode
    private let size: Int
    let count: Int

    /// - Parameter size: 12 or 16 bytes.
    init(_ node: ArrayNode, size: Int) throws(RealmFileError) {
        let node = try node.checked(as: .records)
        guard node.width <= 1 else {
            throw RealmFileError(
                .damaged,
                "Identifiers are not measured in bytes.",
                at: node.offset
            )
        }
        self.node = node
        self.size = size
        let byteCount = node.payload.count
        let blockByteCount = 8 * size + 1
        let blockCount = (byteCount + blockByteCount - 1) / blockByteCount
        guard (byteCount - blockCount) % size == 0 else {
            throw RealmFileError(.damaged, "The last identifier is cut off.", at: node.offset)
        }
        count = (byteCount - blockCount) / size
    }

    func value(at index: Int) throws(RealmFileError) -> RealmValue {
        guard index >= 0, index < count else {
            throw RealmFileError(
                .damaged,
                "Identifier \(index) of \(count) is not there.",
                at: node.offset
            )
        }
        let block = index / 8 * (8 * size + 1)
        if node.payload.number(UInt8.self, at: block) >> UInt8(index % 8) & 1 == 1 { return .null }
        let bytes = try node.payload.slice(at: block + 1 + index % 8 * size, count: size).array
        return size == 12 ? .objectID(RealmObjectID(bytes: bytes)) : .uuid(RealmUUID(bytes: bytes))
    }
}
