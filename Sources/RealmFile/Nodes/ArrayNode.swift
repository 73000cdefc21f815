/// One array of a Realm file: a header of eight bytes and the elements.
///
/// Source: `node_header.hpp` and `array_direct.hpp` of realm-core 20.1.5 (Apache-2.0). The header: four bytes that are
/// ignored here; flags (bit 7 inner, 6 references, 5 context, 4-3 how to measure, 2-0 width); the count in three bytes,
/// big-endian.
struct ArrayNode {
    /// How the width is to be understood.
    enum Measure: UInt8 {
        /// Bits an element.
        case bits = 0
        /// Bytes an element.
        case bytes = 1
        /// The elements are bytes.
        case blob = 2
    }

    /// What an array is expected to be.
    enum Expectation: String {
        case integers, references, records, blob
    }

    static let headerByteCount = 8
    /// Elements that take no room are not more than these: no leaf has as many, and eight bytes could else stand for
    /// millions.
    private static let emptyElementCountMax = 1 << 16

    /// Where the header lies.
    let offset: Int
    /// How many elements.
    let count: Int
    /// Bits or bytes an element: 0, 1, 2, 4, 8, 16, 32 or 64.
    let width: Int
    let measure: Measure
    let isInner: Bool
    let hasReferences: Bool
    let hasContext: Bool
    /// The elements.
    let payload: FileBytes

    init(at reference: Int, in bytes: FileBytes) throws(RealmFileError) {
        guard reference % 8 == 0, reference >= FileHeader.byteCount else {
            throw RealmFileError(.damaged, "\(reference) is no place for an array.", at: reference)
        }
        guard reference <= bytes.count - Self.headerByteCount else {
            throw RealmFileError(
                .truncated,
                "An array lies beyond the end of the file, which has \(bytes.count) bytes.",
                at: reference
            )
        }
        let flags = bytes.number(UInt8.self, at: reference + 4)
        guard let measure = Measure(rawValue: flags >> 3 & 3) else {
            throw RealmFileError(.damaged, "An array is measured in an unknown way.", at: reference)
        }
        offset = reference
        width = (1 << Int(flags & 7)) >> 1
        self.measure = measure
        isInner = flags & 0x80 != 0
        hasReferences = flags & 0x40 != 0
        hasContext = flags & 0x20 != 0
        count =
            Int(bytes.number(UInt8.self, at: reference + 5)) << 16
            | Int(bytes.number(UInt8.self, at: reference + 6)) << 8
            | Int(bytes.number(UInt8.self, at: reference + 7))
        let byteCount =
            switch measure {
            case .bits: (count * width + 7) / 8
            case .bytes: count * width
            case .blob: count
            }
        guard width > 0 || measure == .blob || count <= Self.emptyElementCountMax else {
            throw RealmFileError(
                .damaged,
                "An array has \(count) elements in no space.",
                at: reference
            )
        }
        payload = try bytes.slice(at: reference + Self.headerByteCount, count: byteCount)
    }

    /// Where the array ends, with what fills its last eight bytes.
    var end: Int { (offset + Self.headerByteCount + payload.count + 7) / 8 * 8 }

    func checked(as expectation: Expectation) throws(RealmFileError) -> ArrayNode {
        let isMet =
            switch expectation {
            case .integers: measure == .bits && !hasReferences
            case .references: measure == .bits && hasReferences
            case .records: measure == .bytes && !hasReferences
            case .blob: measure == .blob && !hasReferences
            }
        guard isMet else {
            throw RealmFileError(
                .damaged,
                "There is another kind of array where one of \(expectation.rawValue) should be.",
                at: offset
            )
        }
        return self
    }

    func checked(count expected: Int) throws(RealmFileError) -> ArrayNode {
        guard count == expected else {
            throw RealmFileError(
                .damaged,
                "An array has \(count) elements where \(expected) were expected.",
                at: offset
            )
        }
        return self
    }
}

/// Elements.
extension ArrayNode {
    /// An element of an array of integers: unsigned up to four bits, signed beyond.
    func integer(at index: Int) throws(RealmFileError) -> Int64 {
        try check(index)
        return switch width {
        case 64: payload.number(Int64.self, at: index * 8)
        case 32: Int64(payload.number(Int32.self, at: index * 4))
        case 16: Int64(payload.number(Int16.self, at: index * 2))
        case 8: Int64(payload.number(Int8.self, at: index))
        default: Int64(small(at: index))
        }
    }

    /// An element of an array that is unsigned at every width: keys of rows and offsets.
    func unsigned(at index: Int) throws(RealmFileError) -> UInt64 {
        try check(index)
        return switch width {
        case 64: payload.number(UInt64.self, at: index * 8)
        case 32: UInt64(payload.number(UInt32.self, at: index * 4))
        case 16: UInt64(payload.number(UInt16.self, at: index * 2))
        case 8: UInt64(payload.number(UInt8.self, at: index))
        default: UInt64(small(at: index))
        }
    }

    /// What an element of an array of references is.
    func element(at index: Int) throws(RealmFileError) -> Element {
        let value = try integer(at: index)
        if value == 0 { return .null }
        if value & 1 == 1 { return .number(value >> 1) }
        guard let reference = Int(exactly: value), reference > 0 else {
            throw RealmFileError(.damaged, "\(value) refers to nothing.", at: offset)
        }
        return .reference(reference)
    }

    /// An element that is a reference; nil for none.
    func reference(at index: Int) throws(RealmFileError) -> Int? {
        switch try element(at: index) {
        case .null: nil
        case .reference(let reference): reference
        case .number:
            throw RealmFileError(
                .damaged,
                "There is a number where a reference should be.",
                at: offset
            )
        }
    }

    /// An element that must be a reference.
    func requiredReference(at index: Int) throws(RealmFileError) -> Int {
        guard let reference = try reference(at: index) else {
            throw RealmFileError(.damaged, "A reference is missing.", at: offset)
        }
        return reference
    }

    /// An element that is a number beside references; nil for none.
    func number(at index: Int) throws(RealmFileError) -> Int64? {
        switch try element(at: index) {
        case .null: nil
        case .number(let number): number
        case .reference:
            throw RealmFileError(
                .damaged,
                "There is a reference where a number should be.",
                at: offset
            )
        }
    }

    /// The bytes of an element of an array that is measured in bytes.
    func record(at index: Int) throws(RealmFileError) -> FileBytes {
        try check(index)
        return try payload.slice(at: index * width, count: width)
    }

    /// An element of an array of references.
    enum Element {
        case null
        case reference(Int)
        case number(Int64)
    }

    private func check(_ index: Int) throws(RealmFileError) {
        guard index >= 0, index < count else {
            throw RealmFileError(.damaged, "Element \(index) of \(count) is not there.", at: offset)
        }
    }

    private func small(at index: Int) -> UInt8 {
        switch width {
        case 4: payload.number(UInt8.self, at: index / 2) >> UInt8(index % 2 * 4) & 15
        case 2: payload.number(UInt8.self, at: index / 4) >> UInt8(index % 4 * 2) & 3
        case 1: payload.number(UInt8.self, at: index / 8) >> UInt8(index % 8) & 1
        default: 0
        }
    }
}
