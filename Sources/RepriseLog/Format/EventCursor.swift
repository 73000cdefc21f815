/// Goes through the events of one block in ascending order.
@safe
package struct EventCursor {
    private var reader: ByteReader
    private let blockPosition: UInt64
    private var nextPosition: UInt64
    private var countLeft: Int

    init(_ events: UnsafeRawBufferPointer, first: UInt64, count: Int) {
        reader = unsafe ByteReader(events)
        blockPosition = first
        nextPosition = first
        countLeft = count
    }

    /// The next event, or `nil` after the last.
    ///
    /// - Throws: `.corruptBlock` when an event is malformed, or bytes follow the last one.
    package mutating func next() throws(LogError) -> EventView? {
        do throws(LogError) {
            guard countLeft > 0 else {
                guard reader.isAtEnd else { throw .corrupt("bytes follow its last event") }
                return nil
            }
            let event = try EventView(decoding: &reader, position: nextPosition)
            countLeft -= 1
            nextPosition += 1
            return event
        } catch {
            throw error.inBlock(blockPosition)
        }
    }

    /// Passes over `count` events, or as many as there are.
    package mutating func skip(_ count: Int) throws(LogError) {
        do throws(LogError) {
            for _ in 0..<min(count, countLeft) {
                try EventView.skip(&reader)
                countLeft -= 1
                nextPosition += 1
            }
        } catch {
            throw error.inBlock(blockPosition)
        }
    }
}
