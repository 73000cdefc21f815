internal import RepriseLog

/// What an event makes of the row of its entity.
///
/// This is the one place where that is decided: for views that follow the log event by event (``Workspace/apply(_:)``),
/// for views that are built anew entity by entity, and for rows that a bulk load has left to the log (``EntityFold``).
@safe
enum RowOutcome {
    /// There is a row. Its bytes are those of the event or of the room for rewriting.
    case row(created: UInt64, payload: UnsafeRawBufferPointer)
    /// There is none any more.
    case gone
    /// The event is not about the row itself, but about an entry of a list.
    case same

    /// - Parameters:
    ///   - row: the row before the event, nil where there is none.
    ///   - room: where a changed row is put together; not where `row` lies.
    /// - Throws: `corrupted` when the event cannot follow what was there.
    @inline(__always)
    init(
        after type: EventType,
        at position: UInt64,
        _ body: UnsafeRawBufferPointer,
        row: (created: UInt64, payload: UnsafeRawBufferPointer)?,
        room: inout RowPayloadWriter
    ) throws {
        switch type {
        case .inserted:
            guard unsafe row == nil else {
                throw Self.contradiction(position, "inserts what is there")
            }
            unsafe self = .row(created: position, payload: body)
        case .updated:
            guard let row = unsafe row else {
                throw Self.contradiction(position, "changes what is not there")
            }
            let old = try unsafe RowPayload(trusting: row.payload)
            try unsafe room.rewrite(old, SlotChanges(body)) { unsafe $0.to }
            unsafe self = .row(created: row.created, payload: room.bytes)
        case .deleted:
            guard unsafe row != nil else {
                throw Self.contradiction(position, "deletes what is not there")
            }
            self = .gone
        default: self = .same
        }
    }

    static func contradiction(_ position: UInt64, _ what: String) -> StoreError {
        .damage("The event at position \(position) \(what).")
    }
}
