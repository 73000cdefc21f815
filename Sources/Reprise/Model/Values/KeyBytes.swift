#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes whose order under `memcmp` is the order of what they stand for: see
/// `Specs/format/keys.md`.
extension RowPayloadWriter {
    /// Appends an integer, most significant byte first.
    @inlinable
    mutating func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
        append(value.byteSwapped)
    }

    /// Appends text or data so that no value is a prefix of another: `00` becomes `00 FF`, the end is
    /// `00 00`. Beyond `limit` escaped bytes the content is cut, never inside an escape, and the end is
    /// `00 01`, which sorts after the same content uncut. Returns whether it was cut.
    mutating func append(
        escaping bytes: UnsafeRawBufferPointer,
        limit: Int = .max
    ) -> Bool {
        if bytes.count <= limit, unsafe !containsZero(bytes) {
            unsafe append(bytes: bytes)
            append(0 as UInt16)
            return false
        }
        var written = 0
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            let length = byte == 0 ? 2 : 1
            if written + length > limit {
                append(0 as UInt8)
                append(1 as UInt8)
                return true
            }
            append(byte)
            if byte == 0 { append(0xFF as UInt8) }
            written += length
        }
        append(0 as UInt8)
        append(0 as UInt8)
        return false
    }
}

/// Whether a byte is 0, which most texts do not contain. Eight at a time (Warren, Hacker's Delight, 6-1).
private func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8 else { return unsafe bytes.contains(0) }
    var offset = 0
    while offset + 8 < bytes.count {
        if unsafe hasZero(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) {
            return true
        }
        offset += 8
    }
    // The last eight, some of them perhaps for the second time.
    return unsafe hasZero(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
}

private func hasZero(_ word: UInt64) -> Bool {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
}

extension UInt64 {
    /// The total order of doubles as that of integers: negative ones reversed, `-0` as `0`, every NaN as
    /// one that sorts last.
    init(ordering value: Double) {
        if value.isNaN {
            self = .max
            return
        }
        let bits = (value == 0 ? 0 : value).bitPattern
        self = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}

extension UInt32 {
    /// As for doubles.
    init(ordering value: Float) {
        if value.isNaN {
            self = .max
            return
        }
        let bits = (value == 0 ? 0 : value).bitPattern
        self = bits >> 31 == 0 ? bits | 1 << 31 : ~bits
    }
}

extension DecimalParts {
    /// Appends tag, then for numbers other than zero the scale and the digits in pairs, inverted when
    /// negative.
    func writeKey(to writer: inout RowPayloadWriter) {
        writer.append(tag)
        guard !isNaN, mantissa != 0 else { return }
        let mask: UInt8 = isNegative ? 0xFF : 0
        let biased = UInt16(scale + 0x8000)
        writer.append(UInt8(biased >> 8) ^ mask)
        writer.append(UInt8(truncatingIfNeeded: biased) ^ mask)
        let digits = digits
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = digits[index] * 10 + (index + 1 < digits.count ? digits[index + 1] : 0)
            // One more, so that the end, zero, sorts first.
            writer.append((pair + 1) ^ mask)
        }
        writer.append(mask)
    }
}

/// Identifiers inside keys.
enum IdentifierKey {
    /// Throws `identifierTooLong` unless the identifier's escaped bytes fit.
    static func check(_ id: UnsafeRawBufferPointer) throws(ValueError) {
        guard id.count <= identifierByteCountMax else { throw ValueError(.identifierTooLong) }
        var length = id.count
        for index in id.indices where unsafe id[index] == 0 { length += 1 }
        guard length <= identifierByteCountMax else { throw ValueError(.identifierTooLong) }
    }

    /// Reads an escaped identifier from the front of `bytes`: its bytes and how many were
    /// consumed, the end included. Throws on anything the encoder does not write.
    static func decode(
        escaped bytes: UnsafeRawBufferPointer
    ) throws(ValueError) -> (id: [UInt8], byteCount: Int) {
        var id: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = unsafe bytes[index]
            index += 1
            if byte != 0 {
                id.append(byte)
                continue
            }
            guard index < bytes.count else { break }
            let mark = unsafe bytes[index]
            index += 1
            if mark == 0 { return (id, index) }
            guard mark == 0xFF else { throw ValueError(.notCanonical) }
            id.append(0)
        }
        throw ValueError(.wrongLength)
    }
}
