/// A binary property list (CoreFoundation's `CFBinaryPList.c`), of which one object at a time is read: whatever
/// refers to whatever, nothing is followed unasked.
struct BinaryPropertyList {
    enum Object {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        case text(String)
        case data
        /// A reference within a keyed archive: the place in its list of objects.
        case identifier(Int)
        /// The numbers of the elements.
        case array([Int])
        /// The numbers of the keys and of the values.
        case dictionary([(key: Int, value: Int)])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let tableOffset: Int
    /// How many objects there are.
    let objectCount: Int
    /// The number of the outermost one.
    let top: Int

    /// Nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let trailer = bytes.count - 32
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.number(bytes, trailer + 8, 8),
            let top = Self.number(bytes, trailer + 16, 8),
            let tableOffset = Self.number(bytes, trailer + 24, 8),
            objectCount <= bytes.count, top < objectCount, tableOffset <= trailer,
            objectCount * offsetSize <= trailer - tableOffset
        else { return nil }
        self.objectCount = objectCount
        self.top = top
        self.tableOffset = tableOffset
    }

    /// A number of up to eight bytes, big-endian; nil where it does not fit or ends beyond the bytes.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, size <= 8, offset <= bytes.count - size else { return nil }
        var number: UInt64 = 0
        for byte in bytes[offset..<offset + size] { number = number << 8 | UInt64(byte) }
        return Int(exactly: number)
    }

    /// Where an object begins; nil where there is none.
    private func offset(of number: Int) -> Int? {
        guard number >= 0, number < objectCount,
            let offset = Self.number(bytes, tableOffset + number * offsetSize, offsetSize),
            offset < tableOffset
        else { return nil }
        return offset
    }

    /// How many characters, elements or pairs an object has, 0 for a number; nil where there is no object.
    /// - Complexity: O(1).
    func size(of number: Int) -> Int? {
        guard let offset = offset(of: number) else { return nil }
        switch bytes[offset] >> 4 {
        case 5, 6, 10, 13: return count(offset, Int(bytes[offset] & 15))?.count
        default: return 0
        }
    }

    /// An object by its number; nil where there is none, or it is malformed.
    /// - Complexity: O(its size).
    subscript(number: Int) -> Object? {
        guard let offset = offset(of: number) else { return nil }
        let mark = bytes[offset]
        let low = Int(mark & 15)
        switch mark >> 4 {
        case 0: return mark == 8 ? .bool(false) : mark == 9 ? .bool(true) : .null
        case 1:
            let size = 1 << low
            guard size <= 8, offset + 1 + size <= bytes.count else { return nil }
            var value: UInt64 = 0
            for byte in bytes[offset + 1..<offset + 1 + size] { value = value << 8 | UInt64(byte) }
            return .integer(Int64(bitPattern: value))
        case 2: return real(offset, low)
        case 4: return .data
        case 5:
            guard let (count, start) = count(offset, low), start + count <= bytes.count,
                let text = String(validating: bytes[start..<start + count], as: UTF8.self)
            else { return nil }
            return .text(text)
        case 6: return wideText(offset, low)
        case 8: return Self.number(bytes, offset + 1, low + 1).map(Object.identifier)
        case 10:
            guard let (count, start) = count(offset, low), let all = references(start, count) else {
                return nil
            }
            return .array(all)
        case 13:
            guard let (count, start) = count(offset, low), let all = references(start, 2 * count)
            else { return nil }
            return .dictionary((0..<count).map { (all[$0], all[$0 + count]) })
        default: return nil
        }
    }

    private func real(_ offset: Int, _ low: Int) -> Object? {
        guard low == 2 || low == 3, let number = Self.number(bytes, offset + 1, 1 << low) else {
            return nil
        }
        return .real(
            low == 2
                ? Double(Float(bitPattern: UInt32(number))) : Double(bitPattern: UInt64(number))
        )
    }

    /// UTF-16, big-endian.
    private func wideText(_ offset: Int, _ low: Int) -> Object? {
        guard let (count, start) = count(offset, low), start + 2 * count <= bytes.count else {
            return nil
        }
        let units = (0..<count).map {
            UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1])
        }
        return String(validating: units, as: UTF16.self).map(Object.text)
    }

    /// How many elements an object has, and where they begin.
    private func count(_ offset: Int, _ low: Int) -> (count: Int, start: Int)? {
        if low < 15 { return (low, offset + 1) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[offset + 1] & 15)
        guard size <= 8, let count = Self.number(bytes, offset + 2, size), count <= bytes.count
        else { return nil }
        return (count, offset + 2 + size)
    }

    private func references(_ start: Int, _ count: Int) -> [Int]? {
        guard count * referenceSize <= bytes.count - start else { return nil }
        var references: [Int] = []
        references.reserveCapacity(count)
        for place in 0..<count {
            guard let number = Self.number(bytes, start + place * referenceSize, referenceSize)
            else { return nil }
            references.append(number)
        }
        return references
    }
}
