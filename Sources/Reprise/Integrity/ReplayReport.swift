/// What a replay did.
public struct ReplayReport: Sendable, Hashable {
    /// How many events were folded. Those that a rollback made dead are not among them.
    public let eventCount: Int
    /// How long it took.
    public let duration: Duration
    /// The digest of the state, which is the one that the log recorded.
    public let digest: StateDigest

    /// Events folded in a second.
    public var eventsPerSecond: Double {
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds > 0 ? Double(eventCount) / seconds : 0
    }
}
