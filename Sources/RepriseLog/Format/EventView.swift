/// One event, read in place: `id` and `body` point into the block and are valid as long as its
/// bytes.
@safe
package struct EventView {
    package let position: UInt64
    package let type: EventType
    /// The version of the event's type, 1 and up.
    package let version: UInt32
    /// The number of the model concerned; 0 when there is none.
    package let model: UInt16
    /// The identifier of the entity concerned; empty when there is none.
    package let id: UnsafeRawBufferPointer
    /// The position of the previous event of the same entity; 0 when this is its first.
    package let previous: UInt64
    /// The position of the event that this one follows from; 0 when it is a root of its commit.
    package let cause: UInt64
    /// The event's content, which the log does not interpret.
    package let body: UnsafeRawBufferPointer
    /// How many bytes of the event come before its identifier, at most 16.
    package let idOffset: Int

    /// Reads the event at `position` and everything that belongs to it.
    ///
    /// - Throws: `LogError` with the code `.corrupt`.
    @inline(__always)
    init(decoding reader: inout ByteReader, position: UInt64) throws(LogError) {
        let start = reader.offset
        let byteCount = try reader.varint(in: Self.byteCounts)
        let prefixByteCount = reader.offset &- start
        var event = try unsafe ByteReader(reader.bytes(Int(byteCount)))
        self.position = position
        type = EventType(rawValue: try event.u8())
        guard type.rawValue != 0 else { throw .corrupt("an event has the type 0") }
        version = UInt32(truncatingIfNeeded: try event.varint(in: 1...UInt64(UInt32.max)))
        model = UInt16(truncatingIfNeeded: try event.varint(in: 0...UInt64(UInt16.max)))
        unsafe id = try event.prefixedBytes()
        idOffset = unsafe prefixByteCount &+ event.offset &- id.count
        let previousDistance = try event.varint(in: 0...(position - 1))
        previous = previousDistance == 0 ? 0 : position - previousDistance
        let causeDistance = try event.varint(in: 0...(position - 1))
        cause = causeDistance == 0 ? 0 : position - causeDistance
        unsafe body = event.rest()
    }

    /// Reads an event again where it was read before.
    ///
    /// - Parameter id: where its identifier is; the bytes are the same as then, and as valid.
    package init(
        withIDAt id: UnsafeRawPointer,
        idOffset: Int,
        position: UInt64
    ) throws(LogError) {
        // Its own count of bytes, which was checked then, tells where it ends.
        let longest = Varint.byteCountMax + LogFormat.eventByteCountMax
        var reader = unsafe ByteReader(
            UnsafeRawBufferPointer(start: id - idOffset, count: longest)
        )
        try self.init(decoding: &reader, position: position)
    }

    /// How many bytes an event that was read before has, from its first on.
    package static func byteCount(at start: UnsafeRawPointer) -> Int {
        var count = 0
        var offset = 0
        while offset < 9 {
            let byte = unsafe start.load(fromByteOffset: offset, as: UInt8.self)
            count |= Int(byte & 0x7F) << (7 * offset)
            offset += 1
            if byte < 0x80 { break }
        }
        return count + offset
    }

    /// Passes over one event.
    @inline(__always)
    static func skip(_ reader: inout ByteReader) throws(LogError) {
        let byteCount = try reader.varint(in: byteCounts)
        try reader.skip(Int(byteCount))
    }

    private static var byteCounts: ClosedRange<UInt64> {
        UInt64(LogFormat.eventByteCountMin)...UInt64(LogFormat.eventByteCountMax)
    }
}
