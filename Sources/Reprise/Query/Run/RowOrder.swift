/// The order of a query's results: sort keys, then the identifier (QRY-20).
final class RowOrder {
    struct CompiledSortKey {
        let field: CompiledField
        let order: SlotOrder
        let isDescending: Bool
        let hasNilFirst: Bool
        let path: FieldPath
    }

    let keys: [CompiledSortKey]
    private let workspace: Workspace

    init(_ sort: [SortKey], _ compiler: FilterCompiler, in workspace: Workspace) throws(StoreError)
    {
        var keys: [CompiledSortKey] = []
        for key in sort {
            let field = try compiler.field(key.path)
            guard field.type.isIndexable else {
                throw StoreError(
                    .invalidQuery,
                    "\(key.path) is a \(field.type.displayName), which has no order.",
                    advice: "Sort by another attribute."
                )
            }
            keys.append(
                CompiledSortKey(
                    field: field,
                    order: SlotOrder(field.type),
                    isDescending: key.isDescending,
                    hasNilFirst: key.hasNilFirst,
                    path: key.path
                )
            )
        }
        self.keys = keys
        self.workspace = workspace
    }

    /// Negative when `left` comes first; zero only for the same row.
    func compare(_ left: FilterSubject, _ right: FilterSubject) throws -> Int {
        for key in keys {
            let a = try unsafe key.field.bytes(of: left, in: workspace)
            let b = try unsafe key.field.bytes(of: right, in: workspace)
            let order = unsafe key.order.compare(
                a,
                b,
                descending: key.isDescending,
                nilFirst: key.hasNilFirst
            )
            if order != 0 { return order }
        }
        return unsafe left.id.order(against: right.id)
    }

    /// A number that is smaller for a row that comes first, as far as eight bytes of the first key tell: two rows with
    /// the same number must be compared.
    func rank(_ subject: borrowing FilterSubject) throws -> UInt64 {
        guard let key = keys.first else { return 0 }
        guard let bytes = try unsafe key.field.bytes(of: subject, in: workspace) else {
            return key.hasNilFirst ? 0 : .max
        }
        let rank = unsafe Self.rank(bytes, key.field.type)
        return key.isDescending ? ~rank : rank
    }

    private static func rank(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) -> UInt64 {
        switch type {
        case .int:
            guard let value = unsafe bytes.storedInt else { return 0 }
            return UInt64(bitPattern: value) ^ 1 << 63
        case .double, .date, .float:
            guard let value = unsafe bytes.storedDouble else { return 0 }
            return UInt64(ordering: value)
        case .decimal: return 1 << 63
        default:
            var rank: UInt64 = 0
            for index in 0..<Swift.min(8, bytes.count) {
                rank |= unsafe UInt64(bytes[index]) << (56 - 8 * UInt64(index))
            }
            return rank
        }
    }
}

/// A place in the results that is given by a cursor.
struct CursorPlace {
    private let values: [[UInt8]?]
    private let id: [UInt8]

    init(_ cursor: QueryCursor, _ order: RowOrder, _ compiler: FilterCompiler) throws(StoreError) {
        guard cursor.values.count == order.keys.count else {
            throw StoreError(
                .invalidQuery,
                "The cursor has \(cursor.values.count) values and the query \(order.keys.count) sort keys.",
                advice: "Use a cursor with the sort keys that it was made with."
            )
        }
        var values: [[UInt8]?] = []
        for (key, value) in zip(order.keys, cursor.values) {
            let converted = try compiler.converted(value, key.field.type, key.path)
            switch converted {
            case .null: values.append(nil)
            case .reference(let id): values.append(Array(id.utf8))
            default:
                var writer = RowPayloadWriter(capacity: 64)
                do {
                    try converted.write(to: &writer, as: key.field.type)
                } catch {
                    throw StoreError(
                        .invalidQuery,
                        "The cursor's value for \(key.path) cannot be used: \(error)",
                        advice: "Use a cursor with the sort keys that it was made with."
                    )
                }
                values.append(unsafe [UInt8](writer.bytes))
            }
        }
        self.values = values
        id = Array(cursor.id.utf8)
    }

    /// Whether a row comes later in the order.
    func precedes(
        _ subject: FilterSubject,
        in order: RowOrder,
        _ workspace: Workspace
    ) throws -> Bool {
        for (key, value) in zip(order.keys, values) {
            let bytes = try unsafe key.field.bytes(of: subject, in: workspace)
            let found: Int
            if let value {
                found = unsafe value.withUnsafeBytes {
                    unsafe key.order.compare(
                        $0,
                        bytes,
                        descending: key.isDescending,
                        nilFirst: key.hasNilFirst
                    )
                }
            } else {
                found = unsafe key.order.compare(
                    nil,
                    bytes,
                    descending: key.isDescending,
                    nilFirst: key.hasNilFirst
                )
            }
            if found != 0 { return found < 0 }
        }
        return unsafe id.withUnsafeBytes { unsafe $0.order(against: subject.id) < 0 }
    }
}
