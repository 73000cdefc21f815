#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When something happened to a record in the store that it comes from, as far as that store knows.
public struct LegacyTimes: Sendable, Hashable {
    /// When it was made.
    public let created: Date?
    /// When it was last changed.
    public let changed: Date?

    /// - Parameters:
    ///   - created: when it was made, or nil.
    ///   - changed: when it was last changed, or nil.
    public init(created: Date?, changed: Date?) {
        self.created = created
        self.changed = changed
    }
}
