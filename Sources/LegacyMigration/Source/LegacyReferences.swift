/// Keys of records in order, repeats kept: eight bytes each where a key is sixteen upper-case
/// hexadecimal digits, which is what iTunes writes, so that a list of a million entries stays
/// small. Other keys are kept beside.
public struct LegacyReferences: Sendable, RandomAccessCollection {
    private var numbers: [UInt64] = []
    private var oddKeys: [Int: String] = [:]
    private var oddByteCount = 0

    /// An empty list.
    public init() {}

    /// A list of the keys of `keys`, in order.
    public init(_ keys: some Sequence<String>) {
        for key in keys { append(RecordKey(key)) }
    }

    mutating func append(_ key: RecordKey) {
        switch key {
        case .number(let number):
            numbers.append(number)
        case .odd(let text):
            oddKeys[numbers.count] = text
            oddByteCount += 48 + text.heapByteCount
            numbers.append(0)
        }
    }

    /// About what it takes.
    var byteCount: Int { 8 * numbers.count + oddByteCount }

    public var startIndex: Int { 0 }
    public var endIndex: Int { numbers.count }

    public subscript(position: Int) -> String {
        let number = numbers[position]
        if number == 0, let text = oddKeys[position] { return text }
        return Hexadecimal.uppercase(number)
    }
}

extension LegacyReferences: Equatable {
    public static func == (left: LegacyReferences, right: LegacyReferences) -> Bool {
        left.numbers == right.numbers && left.oddKeys == right.oddKeys
    }
}

/// A record's key, without an allocation where it is sixteen upper-case hexadecimal digits.
enum RecordKey: Sendable, Hashable {
    case number(UInt64)
    case odd(String)

    init(_ text: String) {
        if let number = Hexadecimal.number(ofUppercase: text) {
            self = .number(number)
        } else {
            self = .odd(text)
        }
    }

    /// Keys are the same when their bytes are, as in a store.
    static func == (left: RecordKey, right: RecordKey) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.odd(let left), .odd(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .odd(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    var text: String {
        switch self {
        case .number(let number): Hexadecimal.uppercase(number)
        case .odd(let text): text
        }
    }
}
