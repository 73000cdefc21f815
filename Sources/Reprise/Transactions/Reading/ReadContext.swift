internal import RepriseLMDB

/// What a read of the present needs beside its LMDB transaction.
///
/// It belongs to one commit and to one read at a time, which is why it may be handed from thread to thread.
final class ReadContext: @unchecked Sendable {
    /// The number of the commit, by which all processes mean the same bytes.
    let transactionID: UInt64
    let state: StoreState
    let workspace: Workspace

    init(transactionID: UInt64, state: StoreState, workspace: Workspace) {
        self.transactionID = transactionID
        self.state = state
        self.workspace = workspace
    }
}

/// The contexts that no read uses at the moment, kept for the next reads of the same commit: most reads of a store are
/// short, and making a context costs more than looking up a row.
final class ReadContexts: Sendable {
    private static let idleCountMax = 8

    private let idle = Guarded<[ReadContext]>([])

    /// A context of this commit, which belongs to the caller until it is given back. Those of others are dropped.
    func take(_ transactionID: UInt64) -> ReadContext? {
        idle.withLock { idle in
            while let context = idle.popLast() {
                if context.transactionID == transactionID { return context }
            }
            return nil
        }
    }

    func giveBack(_ context: ReadContext) {
        idle.withLock { idle in
            if idle.count < Self.idleCountMax { idle.append(context) }
        }
    }
}
