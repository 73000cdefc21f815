/// The place of an event in a store's log: 1 for the first event ever, then gapless.
///
/// `Position.origin` (0) stands before the first event: the state there is empty.
public struct Position: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The position before the first event.
    public static let origin = Position(0)

    public static func < (left: Position, right: Position) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { String(rawValue) }
}

/// What an entity looked like when it was read, for optimistic concurrency: the position of the last event that
/// touched it.
///
/// A revision is a position and not a count, so that it names one content for ever: after a rollback an entity has
/// the revision it had then, and a number that was used on the abandoned timeline is never given out again.
public struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// The position of the entity's last event.
    public let position: Position

    /// Makes a revision, as from one that a program has kept.
    public init(position: Position) {
        self.position = position
    }

    public var description: String { position.description }
}

/// What a write expects of the entity that it changes; when it is not so the write throws
/// ``StoreError/Code/revisionConflict`` and leaves no trace.
public enum ExpectedRevision: Hashable, Sendable {
    /// Whatever is there.
    case any
    /// The entity must not exist.
    case absent
    /// The entity must exist and have this revision.
    case exactly(Revision)
}
