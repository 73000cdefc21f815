internal import RepriseLog

/// The entries of the lists of an entity that was deleted, in place. They may be very many.
@safe
struct ImageEntries: Sequence {
    let count: Int
    private let bytes: UnsafeRawBufferPointer

    /// - Throws: where there are not so many, or more.
    init(count: Int, _ bytes: UnsafeRawBufferPointer) throws {
        self.count = count
        unsafe self.bytes = bytes
        var reader = unsafe ByteReader(bytes)
        for _ in 0..<count { unsafe _ = try Self.next(&reader) }
        try reader.requireEnd()
    }

    @safe
    struct Iterator: IteratorProtocol {
        fileprivate var reader: ByteReader

        mutating func next() -> (list: UInt16, entry: ListEntry)? {
            // All of them were read before.
            guard !reader.isAtEnd, let next = unsafe try? ImageEntries.next(&reader) else { return nil }
            let (list, orderKey, serial, target) = unsafe next
            return (list, ListEntry(orderKey: orderKey, serial: serial, target: unsafe [UInt8](target)))
        }
    }

    func makeIterator() -> Iterator { unsafe Iterator(reader: ByteReader(bytes)) }

    private static func next(
        _ reader: inout ByteReader
    ) throws -> (list: UInt16, orderKey: UInt64, serial: UInt64, target: UnsafeRawBufferPointer) {
        unsafe (
            try reader.relation(),
            try reader.u64(),
            try reader.varint(),
            try reader.bytes(try reader.count())
        )
    }
}
