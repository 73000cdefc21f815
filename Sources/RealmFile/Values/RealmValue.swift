/// A value of a property, at full precision.
public enum RealmValue: Sendable, Equatable {
    /// Nothing, where a property is optional; a link to an object that is not there.
    case null
    /// `Int` of every width.
    case integer(Int64)
    /// `Bool`.
    case boolean(Bool)
    /// `String`.
    case string(String)
    /// `Data`.
    case data([UInt8])
    /// `Float`, with the bits of a NaN.
    case float(Float)
    /// `Double`, with the bits of a NaN.
    case double(Double)
    /// `Date`, to the nanosecond.
    case timestamp(RealmTimestamp)
    /// `Decimal128`.
    case decimal(RealmDecimal)
    /// `ObjectId`.
    case objectID(RealmObjectID)
    /// `UUID`.
    case uuid(RealmUUID)
    /// An object of the class that the property says.
    case link(RealmLink)
    /// An object of any class: a link in a dictionary or in a property of mixed type.
    case typedLink(RealmLink)
    /// In order, repeats kept. Read when they are walked through.
    case list(RealmElements)
    /// In the order in which the file has them, which means nothing. Read when they are walked through.
    case set(RealmElements)
    /// In the order in which the file has them, which means nothing. Read when they are walked through.
    case dictionary(RealmDictionary)

    /// An entry of a dictionary.
    public struct Entry: Sendable, Equatable {
        /// A string; in very old files an integer is possible.
        public let key: RealmValue
        /// What it holds.
        public let value: RealmValue
    }

    /// Floats and doubles are equal when their bits are, texts when their bytes are.
    ///
    /// Collections are read and compared by what lies in them, in the order of their files, those within them too. One
    /// that cannot be read is equal to none but itself.
    ///
    /// - Complexity: O(elements).
    public static func == (left: Self, right: Self) -> Bool {
        ContentComparison.areEqual(left, right)
    }

    /// Whether it is the same as another one; never of collections.
    func isSameSingle(as other: Self) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.objectID(let left), .objectID(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.link(let left), .link(let right)): left == right
        case (.typedLink(let left), .typedLink(let right)): left == right
        default: false
        }
    }
}

/// A point in time, to the nanosecond.
public struct RealmTimestamp: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01 00:00:00 UTC.
    public let seconds: Int64
    /// -999,999,999 to 999,999,999, with the sign of the seconds.
    public let nanoseconds: Int32

    /// Whether a point in time is before another one.
    public static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// An object that a property leads to.
public struct RealmLink: Sendable, Hashable {
    /// The place of the target's class in ``RealmReader/classes``.
    public let classIndex: Int
    /// The target's ``RealmObject/key``.
    public let key: Int64
}

/// Twelve bytes that identify an object.
public struct RealmObjectID: Sendable, Hashable, CustomStringConvertible {
    /// The twelve bytes.
    public let bytes: [UInt8]

    /// 24 lower-case hexadecimal digits.
    public var description: String { Hexadecimal.text(bytes) }
}

/// Sixteen bytes that identify something.
public struct RealmUUID: Sendable, Hashable, CustomStringConvertible {
    /// The sixteen bytes.
    public let bytes: [UInt8]

    /// 36 characters, lower-case hexadecimal digits in five groups.
    public var description: String {
        let digits = Hexadecimal.text(bytes)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

/// Bytes as text.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }

    /// The digits of a bit pattern, from the highest on.
    static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        text(
            stride(from: number.bitWidth - 8, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: number >> $0)
            }
        )
    }
}
