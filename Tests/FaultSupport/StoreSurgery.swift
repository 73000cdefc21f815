internal import RepriseLMDB
internal import RepriseLog

/// Changes bytes inside a closed store, below the engine: what a newer or a broken version would leave.
package enum StoreSurgery {
    /// Puts another format number into the state record and makes its checksum right again.
    package static func setStateFormat(_ version: UInt32, at path: String) throws {
        try edit("state", at: path) { bytes in
            for index in 0..<4 {
                bytes[12 + index] = UInt8(truncatingIfNeeded: version >> (8 * index))
            }
            let checksum = unsafe bytes.withUnsafeBytes {
                unsafe XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[8...]))
            }
            for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
        }
    }

    /// Gives the last block of the log another version and makes its hash right again.
    package static func setLastBlockVersion(_ version: UInt16, at path: String) throws {
        try edit("log", at: path) { bytes in
            bytes[4] = UInt8(truncatingIfNeeded: version)
            bytes[5] = UInt8(truncatingIfNeeded: version >> 8)
            let hash = unsafe bytes.withUnsafeBytes {
                unsafe SHA256Hash.digest(
                    of: UnsafeRawBufferPointer(rebasing: $0[..<112]),
                    UnsafeRawBufferPointer(rebasing: $0[144...])
                )
            }
            unsafe bytes.withUnsafeMutableBytes {
                unsafe hash.write(into: UnsafeMutableRawBufferPointer(rebasing: $0[112..<144]))
            }
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
            guard mendsChecksum else { return }
            let checksum = unsafe key.withUnsafeBytes { key in
                unsafe bytes.withUnsafeBytes {
                    unsafe XXH64.hash(key, UnsafeRawBufferPointer(rebasing: $0[8...]))
                }
            }
            for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
        }
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
