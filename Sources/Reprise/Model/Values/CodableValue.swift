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
/// whose `encode(to:)` throws is refused by the write that brings it (`invalidValue`). Lists leave a row out whose text
/// does not decode (VAL-30): make a new property optional, or write `init(from:)`, so that older texts do.
///
/// A filter compares the text as a whole with `==` and `!=`. It cannot ask for its parts, and sorting by it sorts the
/// text. A `Set`, and a dictionary whose keys are neither `String` nor `Int`, has another text each time that it is
/// written, so filters do not find it; declare the type `Equatable`, and an update that changes nothing is none. A
/// `Set` that is an attribute of its own has no such trouble. A `CodableValue` is neither unique nor indexed.
///
/// Choose ``Embedded`` for what is to be described in the schema, and an attribute of its own for what is to be asked
/// for. An enum with a raw value is a ``StoredValue`` without this.
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
            throw ValueError(.outOfRange, reason: CodableText.reason(error))
        }
    }
}

/// The form of the text (Specs/format/values.md). It is stored, so nothing about it may change.
private enum CodableText {
    private static let infinity = (positive: "Infinity", negative: "-Infinity", nan: "NaN")

    /// Why a text does not decode, in a few words.
    static func reason(_ error: any Error) -> String? {
        let context: DecodingError.Context
        switch error as? DecodingError {
        case .keyNotFound(let key, _): return "it has no \"\(key.stringValue)\""
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        default: return nil
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? nil : "at \"\(path)\""
    }

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
