internal import RepriseLMDB
internal import RepriseLog

/// Changes bytes inside a closed store, below the engine: what a newer or a broken version would leave.
package enum StoreSurgery {
    /// Puts another format number into the state record and makes its checksum right again.
    package static func setStateFormat(_ version: UInt32, at path: String) throws {
        try setStateField(at: 12, byteCount: 4, to: UInt64(version), of: path)
    }

    /// Puts a number into the state record and makes its checksum right again.
    package static func setStateField(
        at offset: Int,
        byteCount: Int = 8,
        to number: UInt64,
        of path: String
    ) throws {
        try edit("state", at: path) { bytes in
            for index in 0..<byteCount {
                bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
            }
            bytes.sealRecord(under: [])
        }
    }

    /// Gives the last block of the log another version and makes its hash right again.
    package static func setLastBlockVersion(_ version: UInt16, at path: String) throws {
        try edit("log", at: path) { bytes in
            bytes[4] = UInt8(truncatingIfNeeded: version)
            bytes[5] = UInt8(truncatingIfNeeded: version >> 8)
            bytes.sealBlock()
        }
    }

    /// Changes a row that the views have.
    ///
    /// - Parameters:
    ///   - key: the number of the model and the identifier.
    ///   - mendsChecksum: whether the row matches its checksum afterwards.
    package static func editRow(
        _ key: [UInt8],
        at path: String,
        mendsChecksum: Bool,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        try edit("rows.a", key: key, at: path) { bytes in
            change(&bytes)
            if mendsChecksum { bytes.sealRecord(under: key) }
        }
    }

    /// Puts the entry of a table that has a key under another one, or takes it away.
    package static func move(
        _ key: [UInt8],
        to other: [UInt8]?,
        in name: String,
        at path: String
    ) throws {
        let environment = try Environment.open(at: path, tables: [name])
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let table = environment.table(name)
        try unsafe key.withUnsafeBytes { key in
            guard let found = try unsafe transaction.reader.get(table, key) else { return }
            let value = unsafe [UInt8](found)
            _ = try unsafe transaction.delete(table, key: key)
            guard let other else { return }
            try unsafe other.withUnsafeBytes { other in
                try unsafe value.withUnsafeBytes {
                    try unsafe transaction.put(table, key: other, value: $0)
                }
            }
        }
        try transaction.commit()
    }

    /// Changes a value of a table: the one under `key`, or the last.
    package static func edit(
        _ name: String,
        key: [UInt8]? = nil,
        at path: String,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        let environment = try Environment.open(at: path, tables: [name])
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let table = environment.table(name)
        var cursor = try transaction.cursor(table)
        let isThere = try unsafe key?.withUnsafeBytes { try unsafe cursor.seek(exactly: $0) }
        guard try isThere ?? cursor.last() else { return }
        let key = unsafe [UInt8](cursor.key)
        var value = unsafe [UInt8](cursor.value)
        change(&value)
        try unsafe key.withUnsafeBytes { key in
            try unsafe value.withUnsafeBytes {
                try unsafe transaction.put(table, key: key, value: $0)
            }
        }
        try transaction.commit()
    }
}

extension [UInt8] {
    /// Makes the checksum of a row, an entry, a label or the state record right.
    ///
    /// - Parameter key: under which it lies; the checksum of the state covers none.
    mutating func sealRecord(under key: [UInt8]) {
        guard count >= 8 else { return }
        let checksum = unsafe key.withUnsafeBytes { key in
            unsafe withUnsafeBytes {
                unsafe XXH64.hash(key, UnsafeRawBufferPointer(rebasing: $0[8...]))
            }
        }
        for index in 0..<8 { self[index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    }

    /// Makes the hash of a block of the log right.
    mutating func sealBlock() {
        let hash = unsafe withUnsafeBytes {
            unsafe SHA256Hash.digest(
                of: UnsafeRawBufferPointer(rebasing: $0[..<112]),
                UnsafeRawBufferPointer(rebasing: $0[144...])
            )
        }
        unsafe withUnsafeMutableBytes {
            unsafe hash.write(into: UnsafeMutableRawBufferPointer(rebasing: $0[112..<144]))
        }
    }
}
