#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The identity of a model: a string that names one entity for as long as the store lives.
///
/// ```swift
/// let task = Task(id: Task.ID(), title: "Water the plants")    // a new identifier, unique everywhere
/// let other: Task.ID = "task-\(number)"                        // or one of your own
/// ```
///
/// Equality, hashing and order follow the exact UTF-8 bytes, never canonical equivalence, because
/// that is what keys on disk do: `"é"` in one scalar and in two are two identifiers. Nothing is
/// required of `M`, so that `Folder.ID` may stand inside another model without a cycle.
public struct Identifier<M>: Sendable {
    /// The identifier as it is stored; at most ``identifierByteCountMax`` escaped bytes.
    public let rawValue: String

    /// Creates an identifier. An empty one, or one that is too long, is refused when a row with it is inserted
    /// (`invalidIdentifier`).
    @inlinable
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a new identifier: a UUID of version 7 (RFC 9562) as lower-case text (VAL-01).
    ///
    /// Identifiers sort by the time at which they were made, so new rows come last and lie together on the disk. Those
    /// that one process makes ascend, whatever its threads and its clock do.
    public init() {
        self.init(TimeOrderedUUID.next())
    }

    /// The identifier that is the lower-case text of a UUID.
    public init(_ uuid: UUID) {
        rawValue = uuid.uuidString.lowercased()
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

/// `"inbox"` and `"task-\(5)"` are identifiers.
extension Identifier: ExpressibleByStringInterpolation {
    /// The identifier that a literal names.
    @inlinable
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Identifier: LosslessStringConvertible {
    /// The identifier as it is stored.
    @inlinable public var description: String { rawValue }
}

/// As a plain string, so that a model can be `Codable` without more.
extension Identifier: Codable {
    /// Reads an identifier from a plain string.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the identifier as a plain string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
