/// A typed name for a to-many relationship, ordered or derived.
///
/// ```swift
/// extension Folder { static let notes = Relationship<Folder, Note>("notes") }
/// for entry in try transaction.entries(Folder.notes, of: folderID) { … }
/// ```
public struct Relationship<Owner: Model, Target: Model>: Sendable {
    /// The stored name.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}

/// The identity of one entry of an ordered list. It stays the same while the entry is moved, and lets the same target
/// stand in a list more than once.
public struct EntryID: Sendable, CustomStringConvertible {
    /// The position of the event that made the entry; 0 where a target can occur only once and is its own identity.
    public let serial: UInt64
    /// The identifier that the entry points to.
    public let target: String
    /// Where it stood when it was read, or 0: a hint of where to look first, and no part of the identity.
    let place: UInt64

    public init(serial: UInt64, target: String) {
        self.init(serial: serial, target: target, place: 0)
    }

    init(serial: UInt64, target: String, place: UInt64) {
        self.serial = serial
        self.target = target
        self.place = place
    }

    public var description: String { serial == 0 ? target : "\(target)#\(serial)" }
}

extension EntryID: Hashable {
    public static func == (left: EntryID, right: EntryID) -> Bool {
        left.serial == right.serial && left.target.utf8.elementsEqual(right.target.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(serial)
        for byte in target.utf8 { hasher.combine(byte) }
    }
}

/// One entry of an ordered list.
public struct Entry<Target: Model>: Sendable, Hashable {
    public let id: EntryID
    public let target: Identifier<Target>

    init(id: EntryID) {
        self.id = id
        target = Identifier(id.target)
    }
}

/// Where an entry goes in an ordered list. Places are named by entries and never by an index, which may be stale by the
/// time the change is made.
public enum Placement: Sendable, Hashable {
    case first
    case last
    case before(EntryID)
    case after(EntryID)
}
