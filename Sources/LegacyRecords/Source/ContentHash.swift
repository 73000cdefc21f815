package import RepriseLog

/// The SHA-256 of an export's bytes.
public struct ContentHash: Sendable, Hashable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The hash of bytes that are in memory. O(bytes).
    public init(of bytes: [UInt8]) {
        self.init(unsafe bytes.withUnsafeBytes { unsafe SHA256Hash.digest(of: $0) })
    }

    package init(_ digest: Digest256) {
        self.init(bytes: digest.bytes)
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hexadecimal.lowercase(bytes) }
}

/// Numbers as hexadecimal text.
package enum Hexadecimal {
    private static let lowerDigits = Array("0123456789abcdef".utf8)
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// Two lower-case digits a byte.
    package static func lowercase(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(lowerDigits[Int(byte >> 4)])
            text.append(lowerDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Sixteen upper-case digits.
    static func uppercase(_ number: UInt64) -> String {
        unsafe String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 {
                unsafe buffer[place] = upperDigits[Int(number >> UInt64(60 - 4 * place) & 15)]
            }
            return 16
        }
    }

    /// The number that `uppercase` would write as exactly this text, or nil when there is none.
    package static func number(ofUppercase text: String) -> UInt64? {
        let digits = text.utf8
        guard digits.count == 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "A") + 10)
            default:
                return nil
            }
        }
        return number
    }
}
