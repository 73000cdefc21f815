/// Finds the group of a row by the bytes of its keys.
final class Grouping {
    private let fields: [CompiledField]
    private let canonical: [CanonicalBytes]
    private let table = GroupTable()
    private var writer = RowPayloadWriter(capacity: 256)

    /// The length that stands for nil.
    private static let nilLength = UInt32.max

    init(_ fields: [CompiledField]) {
        self.fields = fields
        canonical = fields.map { CanonicalBytes($0.type) }
    }

    /// The number of the row's group, and whether no row before was in it. Without keys there is one group, which is
    /// never new.
    @inline(__always)
    func group(
        of subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> (group: Int, isNew: Bool) {
        if fields.isEmpty { return (0, false) }
        writer.removeAll()
        for (index, field) in fields.enumerated() {
            guard let bytes = try unsafe field.bytes(of: subject, in: workspace) else {
                writer.append(Self.nilLength)
                continue
            }
            unsafe canonical[index].withBytes(bytes) { bytes in
                writer.append(UInt32(bytes.count))
                unsafe writer.append(bytes: bytes)
            }
        }
        return unsafe table.place(of: writer.bytes)
    }

    /// The keys of each group, in the order in which the groups were met.
    func keys() throws -> [[Value]] {
        if fields.isEmpty { return [[]] }
        return try (0..<table.count).map { group in
            let bytes = unsafe table[group]
            var offset = 0
            return try fields.map { field in
                let length = unsafe UInt32(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                )
                offset += 4
                if length == Self.nilLength { return .null }
                defer { offset += Int(length) }
                let part = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[offset..<(offset + Int(length))]
                )
                return try unsafe Value(bare: part, as: field.type)
            }
        }
    }
}
