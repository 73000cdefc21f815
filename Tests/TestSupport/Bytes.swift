// Here, because this module is optimised: tests compare millions of bytes, and look for texts in all sources.

/// Whether bytes where they lie are those of an array.
package func hasSameBytes(_ bytes: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
    unsafe bytes.elementsEqual(other)
}

/// Whether arrays of bytes are the same.
package func hasSameBytes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool { left == right }

/// Whether bytes come before others, a beginning before what it begins.
package func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.lexicographicallyPrecedes(right)
}

/// Whether a text contains another one, byte for byte.
package func contains(_ text: Substring, _ part: String) -> Bool {
    var rest = text.utf8
    guard let first = part.utf8.first else { return true }
    while let index = rest.firstIndex(of: first) {
        if rest[index...].starts(with: part.utf8) { return true }
        rest = rest[rest.index(after: index)...]
    }
    return false
}

/// A text over and over, as `String.init(repeating:count:)` makes it, which takes ten times as long.
package func longText(_ part: String, count: Int) -> String {
    let bytes = Array(part.utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * count)
    for _ in 0..<count { text.append(contentsOf: bytes) }
    return String(decoding: text, as: UTF8.self)
}
