#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Decimal numbers as databases write them: up to 38 digits, perhaps a sign, a point and an exponent.
package enum DecimalText {
    /// The number, or nil where the text is none, or one that a `Decimal` does not hold exactly.
    package static func decimal(_ text: String) -> Decimal? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
        var place = bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") ? 1 : 0
        var digitCount = 0
        var hasPoint = false
        while place < bytes.count {
            switch bytes[place] {
            case 0x30...0x39: digitCount += 1
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard let exponent = Int(String(decoding: bytes[(place + 1)...], as: UTF8.self)),
                    exponent.magnitude <= 60
                else { return nil }
                return digitCount > 0 && digitCount <= 38 ? Decimal(string: text) : nil
            default: return nil
            }
            place += 1
        }
        return digitCount > 0 && digitCount <= 38 ? Decimal(string: text) : nil
    }
}
