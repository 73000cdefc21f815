#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// As its absolute text.
extension URL: StoredValue {
    /// Text.
    public static var valueType: ValueType { .string }

    /// Appends the absolute text.
    public func write(to writer: inout RowPayloadWriter) {
        absoluteString.write(to: &writer)
    }

    /// Reads a URL from its text; throws `outOfRange` where the text is none.
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> URL {
        guard let url = unsafe URL(string: try String.read(bytes)) else { throw ValueError(.outOfRange) }
        return url
    }
}
