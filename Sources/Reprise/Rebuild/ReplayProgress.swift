/// How far a replay is.
public struct ReplayProgress: Sendable, Hashable {
    /// How much of the work is done, as so many of the events.
    public let eventCount: Int
    /// Events in all.
    public let totalCount: Int
}
