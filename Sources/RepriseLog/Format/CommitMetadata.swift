/// Who changed something, when, why, and because of what: what a commit says about itself.
package struct CommitMetadata: Sendable, Equatable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package var timeMicroseconds: Int64

    /// Who made the change; at most `LogFormat.textByteCountMax` bytes of UTF-8, like the other
    /// texts.
    package var actor: String

    /// What the change was meant to do, such as "note.add".
    package var intent: String

    /// What the change belongs to, such as the identifier of a request.
    package var correlation: String

    /// The position of the event that led to this commit; 0 when there is none.
    package var causation: UInt64

    /// The number of the schema in force; 0 before the first declaration.
    package var schema: UInt32

    package init(
        timeMicroseconds: Int64,
        actor: String = "",
        intent: String = "",
        correlation: String = "",
        causation: UInt64 = 0,
        schema: UInt32 = 0
    ) {
        self.timeMicroseconds = timeMicroseconds
        self.actor = actor
        self.intent = intent
        self.correlation = correlation
        self.causation = causation
        self.schema = schema
    }
}

extension CommitMetadata {
    /// Checks what can be written.
    ///
    /// - Parameter position: the first position of the commit that this describes.
    /// - Throws: `.textTooLong`, or `.invalidEvent` when the causation is not an earlier position.
    package func validate(at position: UInt64) throws(LogError) {
        for (name, text) in [("actor", actor), ("intent", intent), ("correlation", correlation)]
        where text.utf8.count > LogFormat.textByteCountMax {
            throw LogError(
                .textTooLong,
                position: position,
                detail: "the \(name) has \(text.utf8.count) bytes of UTF-8, "
                    + "\(LogFormat.textByteCountMax) are possible"
            )
        }
        guard causation < position else {
            throw LogError(
                .invalidEvent,
                position: position,
                detail:
                    "the commit names position \(causation) as its causation, which is not earlier"
            )
        }
    }

    /// Appends what stands at the beginning of a commit's first payload; time and schema are in the
    /// header.
    func encode(into writer: inout ByteWriter) {
        writer.prefixedString(actor)
        writer.prefixedString(intent)
        writer.prefixedString(correlation)
        writer.varint(causation)
    }

    /// Reads what `encode` wrote for the commit that `header` begins.
    init(decoding reader: inout ByteReader, header: BlockHeader) throws(LogError) {
        timeMicroseconds = header.timeMicroseconds
        schema = header.schema
        actor = try reader.prefixedString(byteCountMax: LogFormat.textByteCountMax)
        intent = try reader.prefixedString(byteCountMax: LogFormat.textByteCountMax)
        correlation = try reader.prefixedString(byteCountMax: LogFormat.textByteCountMax)
        causation = try reader.varint(in: 0...(header.firstPosition - 1))
    }

    /// Passes over what `encode` wrote, without allocating.
    static func skip(_ reader: inout ByteReader, header: BlockHeader) throws(LogError) {
        for _ in 0..<3 {
            let count = try reader.varint(in: 0...UInt64(LogFormat.textByteCountMax))
            try reader.skip(Int(count))
        }
        _ = try reader.varint(in: 0...(header.firstPosition - 1))
    }
}
