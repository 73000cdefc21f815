internal import RepriseLog

/// Folds the events of one entity after the other into rows.
///
/// What a row is in the end follows from the events of its entity alone, so that the log, sorted by entity, can be
/// folded without ever looking a row up.
@safe
struct EntityFold: ~Copyable {
    private(set) var created: UInt64 = 0
    /// The position of the entity's last event.
    private(set) var revision: UInt64 = 0
    /// Whether there is a row after the events so far.
    private(set) var isLive = false
    /// The row's content where it lies: in an event, or in this fold's own memory.
    private(set) var payload = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Two buffers, because a row is rewritten from one into the other.
    private var scratch = RowPayloadWriter()
    private var spare = RowPayloadWriter()

    /// Begins with the next entity.
    mutating func begin() {
        created = 0
        revision = 0
        isLive = false
        unsafe payload = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Goes on from a row that is there already, whose bytes stay where they are.
    mutating func begin(with row: RowView) {
        created = row.created
        revision = row.revision
        isLive = true
        unsafe payload = row.payload
    }

    /// Folds the entity's next event.
    ///
    /// - Parameter outlives: whether the event's bytes stay where they are while the entity is folded.
    mutating func apply(_ event: GatheredEvent, outlives: Bool) throws {
        switch event.type {
        case .inserted:
            guard !isLive else { throw contradiction(event, "inserts what is there") }
            do {
                _ = try unsafe RowPayload(event.body)
            } catch {
                throw StoreError.damage(
                    "The event at position \(event.position) carries a row that is not well formed."
                )
            }
            isLive = true
            created = event.position
            if outlives {
                unsafe payload = event.body
            } else {
                scratch.removeAll()
                unsafe scratch.append(bytes: event.body)
                unsafe payload = scratch.bytes
            }
        case .updated:
            guard isLive else { throw contradiction(event, "changes what is not there") }
            let changes = try unsafe SlotChanges(event.body)
            let old = try unsafe RowPayload(trusting: payload)
            try unsafe spare.rewrite(old, changes) { unsafe $0.to }
            swap(&scratch, &spare)
            unsafe payload = scratch.bytes
        case .deleted:
            guard isLive else { throw contradiction(event, "deletes what is not there") }
            isLive = false
        default: break
        }
        revision = event.position
    }

    private func contradiction(_ event: GatheredEvent, _ what: String) -> StoreError {
        .damage("The event at position \(event.position) \(what).")
    }
}
