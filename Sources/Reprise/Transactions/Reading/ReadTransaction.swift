internal import RepriseLMDB
internal import RepriseLog

/// One consistent state of the store, present or past, for as long as the closure runs.
///
/// Keep reads short: a long one keeps the store from using the space of old pages again. What is fetched is copied out
/// and may outlive the transaction.
public struct ReadTransaction: ~Copyable, StateReading {
    /// What the transaction reads through. Opaque.
    public let token: StateToken
    private let context: ReadContext

    init(access: StateAccess, context: ReadContext) {
        token = StateToken(access)
        self.context = context
    }

    var state: StoreState { context.state }

    /// The position of the last event in the log, which may be ahead of ``StateReading/position`` in a read of the past
    /// and while a bulk load goes on.
    public var head: Position { Position(state.log.head) }
}
