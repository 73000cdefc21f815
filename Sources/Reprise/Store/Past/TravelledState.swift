internal import RepriseLMDB

/// The state of the past that the last read has gone to in memory, kept for the next one (HIS-81).
///
/// It lies over the views of one commit, so it is of use until the next one.
final class TravelledState: Sendable {
    struct Kept {
        let context: ReadContext
        /// The position whose state the context shows.
        let position: UInt64
    }

    /// How much a state may take that no read uses, in bytes.
    static let byteCountMax = 48 << 20

    private let kept = Guarded<Kept?>(nil)
    private let byteCountMax: Int

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The state, which belongs to the caller until it is given back; nil where there is none of this commit.
    func take(_ transactionID: UInt64) -> Kept? {
        let taken = exchange(for: nil)
        return taken?.context.transactionID == transactionID ? taken : nil
    }

    /// Keeps a state in the place of the one before, unless it is too large.
    func keep(_ state: Kept) {
        guard state.context.workspace.byteCount < byteCountMax else { return }
        _ = exchange(for: state)
    }

    func forget() { _ = exchange(for: nil) }

    /// What goes is freed by the caller, not under the lock.
    private func exchange(for state: Kept?) -> Kept? {
        kept.withLock { kept in
            defer { kept = state }
            return kept
        }
    }
}
