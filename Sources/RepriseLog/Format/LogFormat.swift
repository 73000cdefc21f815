/// The numbers of the log's format, version 1. `Specs/format/log.md` is the normative text.
package enum LogFormat {
    /// The format version that is written, and the only one that can be read.
    package static let version: UInt16 = 1

    /// The first four bytes of a block: "RPB1" in ASCII.
    static let magic: UInt32 = 0x3142_5052

    /// How many bytes come before a block's payload.
    package static let headerByteCount = 144

    /// The payload size in bytes from which on a block takes no further event.
    package static let blockPayloadByteCountTarget = 64 << 10

    /// The largest event in bytes, its length prefix not counted.
    package static let eventByteCountMax = 64 << 20

    /// The smallest event in bytes, its length prefix not counted: six fields of one byte and no
    /// body.
    static let eventByteCountMin = 6

    /// The longest actor, intent and correlation in bytes of UTF-8.
    package static let textByteCountMax = 1024

    /// The most events that a commit can hold.
    package static let commitEventCountMax = UInt64(UInt32.max)

    /// The last position there can be; with it all positions also fit into a signed number.
    package static let positionMax = UInt64(Int64.max)

    /// Byte offsets of a block's header fields.
    enum Offset {
        static let magic = 0
        static let version = 4
        static let flags = 6
        static let firstPosition = 8
        static let commitFirstPosition = 16
        static let eventCount = 24
        static let payloadByteCount = 28
        static let time = 32
        static let schema = 40
        static let reserved = 44
        static let digest = 48
        static let previousHash = 80
        static let hash = 112
    }
}
