/// The length that stands for a nil element.
@usableFromInline let nilLength: UInt32 = .max

extension RowPayloadWriter {
    /// Appends `u32 length, bytes`, or the nil length.
    @inlinable
    mutating func appendElement(_ value: borrowing some StoredValue) {
        if value.isNil {
            append(nilLength)
            return
        }
        let lengthOffset = end
        append(0 as UInt32)
        value.write(to: &self)
        patch(UInt32(truncatingIfNeeded: end - lengthOffset - 4), at: lengthOffset)
    }
}

/// Walks the length-prefixed parts of a list, set or map; never leaves the bytes.
@safe
@usableFromInline
struct ElementReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var offset = 0
    /// How many elements the value says it has: at most one for each four bytes that follow.
    @usableFromInline let count: Int

    @usableFromInline
    init(_ bytes: UnsafeRawBufferPointer) throws(ValueError) {
        unsafe self.bytes = bytes
        guard bytes.count >= 4 else { throw ValueError(.wrongLength) }
        count = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        offset = 4
        // Refused before anything is reserved for them.
        guard count <= (bytes.count - 4) / 4 else { throw ValueError(.wrongLength) }
    }

    /// The next part, nil for a nil element.
    @usableFromInline
    mutating func next() throws(ValueError) -> UnsafeRawBufferPointer? {
        guard unsafe bytes.count - offset >= 4 else { throw ValueError(.wrongLength) }
        let length = unsafe UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        )
        offset += 4
        if length == nilLength { return nil }
        guard unsafe bytes.count - offset >= Int(length) else { throw ValueError(.wrongLength) }
        defer { offset += Int(length) }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
    }

    @usableFromInline
    func finish() throws(ValueError) {
        guard unsafe offset == bytes.count else { throw ValueError(.wrongLength) }
    }

    @inlinable
    mutating func nextValue<V: StoredValue>(_: V.Type) throws(ValueError) -> V {
        guard let bytes = unsafe try next() else { return try V.readNil() }
        return unsafe try V.read(bytes)
    }
}

extension Array: StoredValue where Element: StoredValue {
    @inlinable public static var valueType: ValueType {
        .list(Element.valueType, nilElements: Element.isOptional)
    }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        writer.append(UInt32(truncatingIfNeeded: count))
        for element in self { writer.appendElement(element) }
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> [Element] {
        var reader = unsafe try ElementReader(bytes)
        var values: [Element] = []
        values.reserveCapacity(reader.count)
        for _ in 0..<reader.count { values.append(try reader.nextValue(Element.self)) }
        try reader.finish()
        return values
    }
}

extension Set: StoredValue where Element: StoredValue {
    @inlinable public static var valueType: ValueType {
        .set(Element.valueType, nilElements: Element.isOptional)
    }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        let begin = writer.end
        writer.append(0 as UInt32)
        for element in self { writer.appendElement(element) }
        writer.sortElements(from: begin, isMap: false)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Set<Element> {
        var reader = unsafe try ElementReader(bytes)
        var values = Set<Element>(minimumCapacity: reader.count)
        for _ in 0..<reader.count { values.insert(try reader.nextValue(Element.self)) }
        try reader.finish()
        return values
    }
}

/// Keys that Swift holds equal although their bytes differ (`"é"` in one scalar and in two) meet
/// only when bytes were written without this type; then the last one stays.
extension Dictionary: StoredValue where Key == String, Value: StoredValue {
    @inlinable public static var valueType: ValueType {
        .map(Value.valueType, nilValues: Value.isOptional)
    }

    @inlinable
    public func write(to writer: inout RowPayloadWriter) {
        let begin = writer.end
        writer.append(0 as UInt32)
        for (key, value) in self {
            writer.appendElement(key)
            writer.appendElement(value)
        }
        writer.sortElements(from: begin, isMap: true)
    }

    @inlinable
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> [String: Value] {
        var reader = unsafe try ElementReader(bytes)
        var values = [String: Value](minimumCapacity: reader.count)
        for _ in 0..<reader.count {
            let key = try reader.nextValue(String.self)
            values[key] = try reader.nextValue(Value.self)
        }
        try reader.finish()
        return values
    }
}

extension RowPayloadWriter {
    /// Brings the elements written after the count at `begin` into canonical order: bytewise, nil
    /// first, each once; then writes the count. Maps are ordered by key. O(n log n).
    @usableFromInline
    mutating func sortElements(from begin: Int, isMap: Bool) {
        struct Part {
            let key: Range<Int>
            let isNil: Bool
            let whole: Range<Int>
        }
        let first = begin + 4
        let source = unsafe [UInt8](UnsafeRawBufferPointer(start: base + first, count: end - first))
        func length(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(source[offset + $1]) << (8 * UInt32($1)) }
        }
        var parts: [Part] = []
        var offset = 0
        while offset < source.count {
            let start = offset
            let keyLength = length(at: offset)
            let isNil = keyLength == nilLength
            let key = offset + 4..<offset + 4 + (isNil ? 0 : Int(keyLength))
            offset = key.upperBound
            if isMap {
                let valueLength = length(at: offset)
                offset += 4 + (valueLength == nilLength ? 0 : Int(valueLength))
            }
            parts.append(Part(key: key, isNil: isNil, whole: start..<offset))
        }
        func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { source[range] }
        parts.sort { left, right in
            if left.isNil != right.isNil { return left.isNil }
            return bytes(left.key).lexicographicallyPrecedes(bytes(right.key))
        }
        end = first
        var count: UInt32 = 0
        var previous: Part?
        for part in parts {
            if let previous, previous.isNil == part.isNil, bytes(previous.key) == bytes(part.key) {
                continue
            }
            unsafe source.withUnsafeBytes { all in
                unsafe append(bytes: UnsafeRawBufferPointer(rebasing: all[part.whole]))
            }
            count += 1
            previous = part
        }
        patch(count, at: begin)
    }
}
