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

    /// Changes the last value of a table.
    package static func edit(
        _ name: String,
        at path: String,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        let environment = try Environment.open(at: path, tables: [name])
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let table = environment.table(name)
        var cursor = try transaction.cursor(table)
        guard try cursor.last() else { return }
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
