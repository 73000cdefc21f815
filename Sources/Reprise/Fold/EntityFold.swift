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
        let outcome = try unsafe RowOutcome(
            after: event.type,
            at: event.position,
            event.body,
            row: isLive ? (created, payload) : nil,
            room: &spare
        )
        switch outcome {
        case .row(let created, let payload):
            isLive = true
            self.created = created
            if event.type == .updated {
                swap(&scratch, &spare)
                unsafe self.payload = scratch.bytes
            } else {
                try unsafe check(payload, of: event)
                if !outlives {
                    scratch.removeAll()
                    unsafe scratch.append(bytes: payload)
                }
                unsafe self.payload = outlives ? payload : scratch.bytes
            }
        case .gone: isLive = false
        case .same: break
        }
        revision = event.position
    }

    private func check(_ payload: UnsafeRawBufferPointer, of event: GatheredEvent) throws(StoreError) {
        do {
            _ = try unsafe RowPayload(payload)
        } catch {
            throw .damage(
                "The event at position \(event.position) carries a row that is not well formed."
            )
        }
    }

    /// For rows that a bulk load has left to the log.
    static func folding() -> DeferredChanges.RowFold {
        let room = Room()
        return { row, events in unsafe try room.fold(row, events) }
    }

    private final class Room {
        private var fold = EntityFold()

        func fold(_ row: RowView?, _ events: [EventView]) throws -> (
            created: UInt64, payload: UnsafeRawBufferPointer
        )? {
            if let row { fold.begin(with: row) } else { fold.begin() }
            for event in events { try fold.apply(GatheredEvent(event), outlives: true) }
            return unsafe fold.isLive ? (fold.created, fold.payload) : nil
        }
    }
}
