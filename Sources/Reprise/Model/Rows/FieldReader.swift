/// What decoding must know of the declared attributes beside their types.
@usableFromInline
struct FieldLayout: Sendable {
    /// The attributes that have a slot, in declaration order.
    let stored: [Field]
    /// The place of the identifier among all attributes, -1 where there is none.
    @usableFromInline let identifierIndex: Int
    /// Whether an attribute has a default for rows that are older than it.
    @usableFromInline let hasFallbacks: Bool

    @usableFromInline
    init(_ fields: [Field]) {
        stored = fields.filter { !$0.isIdentifier }
        identifierIndex = fields.firstIndex { $0.isIdentifier } ?? -1
        hasFallbacks = stored.contains { unsafe $0.fill != nil }
    }

    /// The value of a stored attribute that has no bytes: what a function makes of older ones, its default, or nil.
    @usableFromInline
    func valueWithoutBytes<V: StoredValue>(
        _ type: V.Type,
        of attribute: Int,
        _ payload: borrowing RowPayload,
        _ slots: borrowing SlotMap
    ) throws(ValueError) -> V {
        if let planned = slots.conversions?[attribute] { return try planned.value(of: copy payload) }
        guard let fill = unsafe stored[attribute].fill else { return try V.readNil() }
        return unsafe Self.made(type, fill)
    }

    /// The value of a stored attribute whose bytes are none of its type: what stands for unknown raw values.
    @usableFromInline
    @inline(never)
    func value<V: StoredValue>(
        _ type: V.Type,
        insteadOf error: ValueError,
        of attribute: Int
    ) throws(ValueError) -> V {
        guard error.code == .unknownRawValue, let unknown = stored[attribute].unknown else { throw error }
        return unsafe Self.made(type, unknown.fill)
    }

    private static func made<V>(_ type: V.Type, _ fill: Field.Fill) -> V {
        unsafe withUnsafeTemporaryAllocation(of: V.self, capacity: 1) { place in
            let start = unsafe place.baseAddress.unsafelyUnwrapped
            unsafe fill(UnsafeMutableRawPointer(start))
            return unsafe start.move()
        }
    }

    /// The error with the name of the attribute at which a reader stopped.
    @usableFromInline
    @inline(never)
    func naming(_ error: ValueError, _ storedCount: Int) -> ValueError {
        storedCount > 0 ? error.naming(stored[storedCount - 1].name) : error
    }
}

/// Counts through the attributes of a row that is being decoded.
///
/// A parameter pack is walked by a loop at run time, so what happens here is paid once for each
/// attribute of each row. Everything is lent to each call, and nothing of it is counted.
@usableFromInline
struct FieldReader {
    /// How many attributes, and how many with a slot, have been read.
    @usableFromInline var index = 0
    @usableFromInline var storedIndex = 0

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    mutating func next<M, V: StoredValue>(
        _ type: V.Type,
        _ payload: borrowing RowPayload,
        _ slots: borrowing SlotMap,
        _ layout: borrowing FieldLayout,
        id: Identifier<M>
    ) throws(ValueError) -> V {
        let isIdentifier = index == layout.identifierIndex
        index &+= 1
        // Only `.id` makes an attribute the identifier, and it exists only where V is Identifier<M>.
        if isIdentifier { return unsafe unsafeBitCast(id, to: V.self) }
        return try next(type, payload, slots, layout)
    }

    @inlinable
    @inline(__always)
    mutating func next<V: StoredValue>(
        _ type: V.Type,
        _ payload: borrowing RowPayload,
        _ slots: borrowing SlotMap,
        _ layout: borrowing FieldLayout
    ) throws(ValueError) -> V {
        let attribute = storedIndex
        storedIndex &+= 1
        if let bytes = unsafe payload.slot(slots.slots[attribute]) {
            do throws(ValueError) {
                return unsafe try V.read(bytes)
            } catch {
                return try layout.value(type, insteadOf: error, of: attribute)
            }
        }
        if layout.hasFallbacks || slots.hasConversions {
            return try layout.valueWithoutBytes(type, of: attribute, payload, slots)
        }
        return try V.readNil()
    }
}
