/// Why bytes are not a value, or a value cannot become bytes.
public struct ValueError: Error, Sendable, Equatable {
    /// What is wrong.
    public enum Code: Sendable, Equatable {
        /// A required attribute has no value. Give the attribute a default, or make it optional.
        case missingValue
        /// The bytes do not have the length the type needs, or point outside the row. Run `verify`.
        case wrongLength
        /// Text that is not UTF-8. Run `verify`.
        case invalidText
        /// An enum has no case with the stored raw value. Add the case, or read the attribute as its raw type.
        case unknownRawValue
        /// A stored value that the Swift type does not have: a number that is too large for it, a text that is no URL,
        /// JSON of another form. Declare a type that has it, or mend the row by stored names.
        case outOfRange
        /// A `Codable` value whose `encode(to:)` threw. Nothing was stored.
        case unencodable
        /// Bytes that no encoder writes: unsorted set, redundant header, other than 0 or 1 for a Bool. Run `verify`.
        case notCanonical
        /// The dynamic value is not of the attribute's type. Convert it first.
        case typeMismatch
        /// The row is larger than ``rowByteCountMax``. Store less in it.
        case tooLarge
        /// The identifier is longer than ``identifierByteCountMax``. Shorten it.
        case identifierTooLong
    }

    /// What is wrong.
    public var code: Code
    /// The stored name of the attribute, where it is known; `size.width` is a field of an embedded struct.
    public var attribute: String?
    /// Why a value does not decode, in the words of its decoder, where it has said so.
    public var reason: String?

    /// Creates an error.
    public init(_ code: Code, attribute: String? = nil, reason: String? = nil) {
        self.code = code
        self.attribute = attribute
        self.reason = reason
    }

    /// The same error of `attribute`, or of a field in it where it names one already.
    @usableFromInline
    func naming(_ attribute: String) -> Self {
        Self(code, attribute: self.attribute.map { "\(attribute).\($0)" } ?? attribute, reason: reason)
    }
}

/// The most bytes a row may have: the log's limit for one event less room for its header.
@inlinable
public var rowByteCountMax: Int { (64 << 20) - 4096 }

extension ValueError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        let place = attribute.map { "attribute \"\($0)\"" } ?? "a value"
        return switch code {
        case .missingValue: "\(place) is required but has no stored value; give it a default."
        case .wrongLength: "\(place) has bytes of the wrong length; run verify on the store."
        case .invalidText: "\(place) is not valid UTF-8; run verify on the store."
        case .unknownRawValue:
            "\(place) holds a raw value that the enum does not know; add the case or read it as text."
        case .outOfRange: "\(place) holds what its Swift type cannot have; declare one that can."
        case .unencodable: "\(place) is a Codable value that could not be encoded; mend its encode(to:)."
        case .notCanonical: "\(place) is not in canonical form; run verify on the store."
        case .typeMismatch: "\(place) is given a value of another type; convert it first."
        case .tooLarge: "\(place) makes the row larger than \(rowByteCountMax) bytes; split it."
        case .identifierTooLong:
            "\(place) has an identifier over \(identifierByteCountMax) bytes; shorten it."
        }
    }
}
