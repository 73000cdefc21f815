/// The identity of a model: a string that names one entity for as long as the store lives.
///
/// Equality, hashing and order follow the exact UTF-8 bytes, never canonical equivalence, because
/// that is what keys on disk do: `"é"` in one scalar and in two are two identifiers. Nothing is
/// required of `M`, so that `Folder.ID` may stand inside another model without a cycle.
public struct Identifier<M>: Sendable {
    /// The identifier as it is stored; at most ``identifierByteCountMax`` escaped bytes.
    public let rawValue: String

    /// Creates an identifier. Its length is checked when it is first stored.
    @inlinable
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The most bytes an identifier may have in UTF-8, a NUL counting twice: what an LMDB key of 511
/// bytes leaves beside four capped components.
@inlinable
public var identifierByteCountMax: Int { 240 }

extension Identifier: Hashable {
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Identifier: Comparable {
    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension Identifier: ExpressibleByStringLiteral {
    @inlinable
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Identifier: CustomStringConvertible {
    @inlinable public var description: String { rawValue }
}
