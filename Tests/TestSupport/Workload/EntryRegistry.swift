import Reprise

/// Which identity the store gave to each entry that the auditor knows by its ticket.
///
/// An identity is learnt once, from what linking returned, and holds for ever: through moves, reopening, rollbacks
/// and in the past (REL-12).
struct EntryRegistry {
    private var ids: [UInt64: EntryID] = [:]
    private var serials: Set<UInt64> = []

    /// The store's identity of an entry, nil when it is not known (never the case for an entry that was linked).
    func id(of entry: AuditState.Entry) -> EntryID? {
        entry.ticket == 0 ? EntryID(serial: 0, target: entry.target.string) : ids[entry.ticket]
    }

    /// Notes the identity that linking returned.
    mutating func learn(_ entry: AuditState.Entry, _ id: EntryID) throws(Difference) {
        try expectEqual(Text(id.target), entry.target, "the target of the new entry")
        guard entry.ticket != 0 else { return }
        // A commit that was abandoned gives its positions back, and with them its serials.
        guard serials.insert(id.serial).inserted else {
            throw Difference("the new entry has the serial \(id.serial), which another entry had")
        }
        ids[entry.ticket] = id
    }

    /// Forgets what was learnt in a commit that left no trace.
    mutating func forget(after registry: EntryRegistry) {
        self = registry
    }
}
