internal import RepriseLog

/// Values of the table `labels` (Specs/format/views.md). Keys: `s` + snapshot name; `n` + escaped annotation name +
/// escaped annotation key; `r` + position of a rollback, big-endian. Every value starts with a checksum over key and
/// rest.
enum LabelKey {
    static func snapshot(_ name: String) -> [UInt8] {
        [UInt8(ascii: "s")] + Array(name.utf8)
    }

    static func annotation(_ name: String, key: String) -> [UInt8] {
        annotations(named: name) + escaped(key)
    }

    static func annotations(named name: String) -> [UInt8] {
        [UInt8(ascii: "n")] + escaped(name)
    }

    static func rollback(at position: UInt64) -> [UInt8] {
        unsafe [UInt8(ascii: "r")] + withUnsafeBytes(of: position.bigEndian) { unsafe Array($0) }
    }

    private static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        return bytes + [0, 0]
    }
}

/// Puts the checksum in front of a label's content, and checks it.
enum LabelValue {
    static func seal(_ content: [UInt8], key: [UInt8]) -> [UInt8] {
        let checksum = unsafe key.withUnsafeBytes { key in
            unsafe content.withUnsafeBytes { unsafe XXH64.hash(key, $0) }
        }
        return unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe Array($0) } + content
    }

    static func open(
        _ value: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer
    ) throws(StoreError) -> ByteReader {
        guard value.count >= 8 else { throw .damage("A label is too short.") }
        let content = unsafe UnsafeRawBufferPointer(rebasing: value[8...])
        guard unsafe value.loadUnaligned(as: UInt64.self).littleEndian == XXH64.hash(key, content)
        else {
            throw .damage("A snapshot, annotation or rollback does not match its checksum.")
        }
        return unsafe ByteReader(content)
    }
}
