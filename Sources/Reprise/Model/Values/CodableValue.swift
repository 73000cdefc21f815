#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of any `Codable` type, stored as a whole in one attribute.
///
/// ```swift
/// struct Address: CodableValue {
///     var street: String
///     var city: String?
/// }
/// // .attribute("address", \.address)
/// ```
///
/// It is stored as JSON text with sorted keys and no white space, as one version of Foundation writes it (VAL-23,
/// Specs/format/values.md). Infinite numbers and NaN become the texts `"Infinity"`, `"-Infinity"` and `"NaN"`. A value
/// whose `encode(to:)` throws is refused by the write that brings it (`invalidValue`); stored text that does not decode
/// is an error of its row.
///
/// A filter can compare it as a whole with `==` and `!=`. It cannot ask for its parts, and sorting by it sorts the
/// text. Choose ``Embedded`` for what is to be described in the schema, and an attribute of its own for what is to be
/// asked for. An enum with a raw value is a ``StoredValue`` without this.
public protocol CodableValue: StoredValue, Codable {}

extension CodableValue {
    /// Text.
    public static var valueType: ValueType { .string }

    /// Appends the JSON text.
    public func write(to writer: inout RowPayloadWriter) {
        do {
            let data = try CodableText.encoder.encode(self)
            unsafe data.withUnsafeBytes { unsafe writer.append(bytes: $0) }
        } catch {
            writer.hasFailed = true
        }
    }

    /// Reads a value from JSON text; throws `outOfRange` where the text does not decode.
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Self {
        do {
            return try unsafe CodableText.decoder.decode(Self.self, from: Data(bytes))
        } catch {
            throw ValueError(.outOfRange)
        }
    }
}

/// The form of the text (Specs/format/values.md). It is stored, so nothing about it may change.
private enum CodableText {
    private static let infinity = (positive: "Infinity", negative: "-Infinity", nan: "NaN")

    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity.positive,
            negativeInfinity: infinity.negative,
            nan: infinity.nan
        )
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity.positive,
            negativeInfinity: infinity.negative,
            nan: infinity.nan
        )
        return decoder
    }()
}
