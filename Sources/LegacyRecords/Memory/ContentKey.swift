import RepriseLog

/// A key made from content, for records whose format gives them none: the first 16 bytes of the
/// SHA-256 over all parts, each written as its UTF-8 byte count (8 bytes, big-endian) and its
/// bytes; a missing part is the count 2^64 - 1 alone.
package struct ContentKey: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    package init(_ parts: [String?]) {
        var bytes: [UInt8] = []
        for part in parts {
            let count = part.map { UInt64($0.utf8.count) } ?? .max
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> UInt64(shift)))
            }
            bytes.append(contentsOf: (part ?? "").utf8)
        }
        let digest = unsafe bytes.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) }
        var numbers: [UInt64] = [0, 0]
        for (place, byte) in digest.bytes.prefix(16).enumerated() {
            numbers[place / 8] = numbers[place / 8] << 8 | UInt64(byte)
        }
        high = numbers[0]
        low = numbers[1]
    }

    /// The key that `text` would write as exactly this text, or nil when there is none.
    package init?(text: String) {
        guard text.utf8.count == 32, text == text.lowercased(),
            let high = Hexadecimal.number(ofUppercase: text.prefix(16).uppercased()),
            let low = Hexadecimal.number(ofUppercase: text.suffix(16).uppercased())
        else { return nil }
        self.high = high
        self.low = low
    }

    /// The first eight of the bytes.
    package var number: UInt64 { high }

    /// 32 lower-case hexadecimal digits.
    package var text: String {
        (Hexadecimal.uppercase(high) + Hexadecimal.uppercase(low)).lowercased()
    }
}
