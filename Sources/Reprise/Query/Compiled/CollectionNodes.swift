/// The elements of a stored list or set, or the values of a stored map, one after the other (Specs/format/values.md).
@safe
struct StoredElements {
    private let bytes: UnsafeRawBufferPointer
    private let isMap: Bool
    private var offset = 4

    init(_ bytes: UnsafeRawBufferPointer, isMap: Bool) {
        unsafe self.bytes = bytes
        self.isMap = isMap
    }

    /// How many elements the collection says it has. O(1).
    var count: Int {
        guard unsafe bytes.count >= 4 else { return 0 }
        return unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    }

    /// The next key of a map; its value has to be taken next.
    mutating func nextKey() -> UnsafeRawBufferPointer?? { unsafe part() }

    /// The next element, the inner nil for an element that is nil; nil at the end.
    mutating func next() -> UnsafeRawBufferPointer?? {
        if isMap, unsafe part() == nil { return nil }
        return unsafe part()
    }

    private mutating func part() -> UnsafeRawBufferPointer?? {
        guard unsafe offset + 4 <= bytes.count else { return nil }
        let count = unsafe UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        )
        offset += 4
        if count == .max { return unsafe .some(nil) }
        guard unsafe offset + Int(count) <= bytes.count else { return nil }
        defer { offset += Int(count) }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(count))])
    }
}

/// Whether one element, or each, fulfils a condition.
final class ElementsNode: FilterNode {
    private let field: CompiledField
    private let isMap: Bool
    private let condition: FilterNode
    private let wantsAll: Bool

    init(_ field: CompiledField, isMap: Bool, _ condition: FilterNode, all wantsAll: Bool) {
        self.field = field
        self.isMap = isMap
        self.condition = condition
        self.wantsAll = wantsAll
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        guard let bytes = try unsafe field.bytes(of: subject, in: workspace) else {
            return wantsAll
        }
        var elements = unsafe StoredElements(bytes, isMap: isMap)
        while let element = unsafe elements.next() {
            let inner = unsafe FilterSubject(
                id: subject.id,
                payload: subject.payload,
                element: element
            )
            if try condition.matches(inner, in: workspace) != wantsAll { return !wantsAll }
        }
        return wantsAll
    }
}

/// Whether a map has a key.
final class MapKeyNode: FieldNode {
    private let key: [UInt8]

    init(_ field: CompiledField, _ key: [UInt8]) {
        self.key = key
        super.init(field)
    }

    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var elements = unsafe StoredElements(bytes, isMap: false)
        return unsafe key.withUnsafeBytes { key in
            while let found = unsafe elements.nextKey() {
                if let found = unsafe found, unsafe found.hasSameBytes(as: key) { return true }
                _ = unsafe elements.next()
            }
            return false
        }
    }
}

/// How many elements there are; none where there is no value.
final class ElementCountNode: FilterNode {
    private let field: CompiledField
    private let comparison: ComparisonOperator
    private let count: Int

    init(_ field: CompiledField, _ comparison: ComparisonOperator, _ count: Int) {
        self.field = field
        self.comparison = comparison
        self.count = count
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        var found = 0
        if let bytes = try unsafe field.bytes(of: subject, in: workspace) {
            found = unsafe StoredElements(bytes, isMap: false).count
        }
        return comparison.holds(found, against: count)
    }
}
