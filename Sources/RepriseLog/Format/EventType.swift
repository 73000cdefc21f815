/// What kind of change an event records. The log carries the number and does not interpret it.
///
/// Numbers are never reassigned. 0 is not valid; 128 and above are for the domain events of
/// applications; all others that are not named here are reserved.
package struct EventType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let inserted = EventType(rawValue: 1)
    package static let updated = EventType(rawValue: 2)
    package static let deleted = EventType(rawValue: 3)
    package static let linked = EventType(rawValue: 4)
    package static let unlinked = EventType(rawValue: 5)
    package static let moved = EventType(rawValue: 6)

    package static let schemaDeclared = EventType(rawValue: 16)
    package static let snapshotCreated = EventType(rawValue: 17)
    package static let snapshotDeleted = EventType(rawValue: 18)
    package static let rolledBack = EventType(rawValue: 19)
    /// A record that an application put into the log for itself.
    package static let annotated = EventType(rawValue: 20)

    /// The first number of applications' domain events.
    package static let firstDomainEvent = EventType(rawValue: 128)
}
