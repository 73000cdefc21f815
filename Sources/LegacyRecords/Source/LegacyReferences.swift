package import ExportFormats

/// Keys of records in order, repeats kept: eight bytes each where all keys are sixteen upper-case
/// hexadecimal digits, which is what iTunes writes, otherwise eight more than their length, so that a list of a million
/// entries stays small.
public struct LegacyReferences: Sendable, RandomAccessCollection {
    /// The keys, as long as all are numbers.
    private var numbers: [UInt64] = []
    /// Otherwise their UTF-8 bytes one after the other, and where those of each end.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// An empty list.
    public init() {}

    /// A list of the keys of `keys`, in order.
    public init(_ keys: some Sequence<String>) {
        for key in keys { add(RecordKey(key)) }
    }

    /// What the keys of one list may take: thirty million and more of sixteen hexadecimal digits, some six million of
    /// 36 characters.
    static let byteCountMax = 256 << 20

    /// - Throws: ``LegacyError`` with the code `limitExceeded` where the list takes more than ``byteCountMax``.
    package mutating func append(_ key: RecordKey) throws(LegacyError) {
        try Self.check(keyByteCount, count)
        add(key)
    }

    /// Sees to it that there are no more members than a list may have, where they are gathered as something else first.
    package static func checkCount(_ count: Int) throws(LegacyError) { try check(8 * count, count) }

    private static func check(_ byteCount: Int, _ count: Int) throws(LegacyError) {
        guard byteCount <= byteCountMax else {
            throw LegacyError(
                .limitExceeded,
                "A list in the export has more than \(count) members, whose keys take more than"
                    + " \(byteCountMax) bytes.",
                advice:
                    "Check that the file is what it should be; leave the list out with a mapping."
            )
        }
    }

    private mutating func add(_ key: RecordKey) {
        switch key {
        case .number(let number) where ends.isEmpty: numbers.append(number)
        case .number, .odd:
            for number in numbers { append(text: Hexadecimal.uppercase(number)) }
            numbers = []
            append(text: key.text)
        }
    }

    private mutating func append(text: String) {
        bytes.append(contentsOf: text.utf8)
        ends.append(bytes.count)
    }

    /// What the keys take, without slack.
    private var keyByteCount: Int { 8 * (numbers.count + ends.count) + bytes.count }

    /// What the keys take, with the slack of arrays that have grown.
    package var byteCount: Int { 8 * (numbers.capacity + ends.capacity) + bytes.capacity }

    /// How much it is among what is handed on: as much as 16 KiB of text for as many bytes.
    package var weight: Int { byteCount / (16 << 10) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { numbers.count + ends.count }

    public subscript(position: Int) -> String {
        if ends.isEmpty { return Hexadecimal.uppercase(numbers[position]) }
        let start = position == 0 ? 0 : ends[position - 1]
        return String(decoding: bytes[start..<ends[position]], as: UTF8.self)
    }
}

extension LegacyReferences: Equatable {
    public static func == (left: LegacyReferences, right: LegacyReferences) -> Bool {
        left.numbers == right.numbers && left.ends == right.ends && left.bytes == right.bytes
    }
}

/// A record's key, without an allocation where it is sixteen upper-case hexadecimal digits.
@usableFromInline
package enum RecordKey: Sendable, Hashable {
    case number(UInt64)
    case odd(String)

    package init(_ text: String) {
        if let number = Hexadecimal.number(ofUppercase: text) {
            self = .number(number)
        } else {
            self = .odd(text)
        }
    }

    /// Keys are the same when their bytes are, as in a store.
    @usableFromInline
    package static func == (left: RecordKey, right: RecordKey) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.odd(let left), .odd(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .odd(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    package var text: String {
        switch self {
        case .number(let number): Hexadecimal.uppercase(number)
        case .odd(let text): text
        }
    }
}
