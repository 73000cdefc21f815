internal import CSQLite

/// How values become the parameters of a statement.
enum SQLiteBinding {
    /// Sets a parameter; SQLite makes a copy.
    ///
    /// - Parameter place: the parameter's number, from 1.
    /// - Returns: SQLite's result code.
    @unsafe static func bind(
        _ value: SQLiteValue,
        at place: Int,
        of statement: OpaquePointer
    ) -> Int32 {
        let place = Int32(clamping: place)
        switch value {
        case .null: return unsafe sqlite3_bind_null(statement, place)
        case .integer(let number): return unsafe sqlite3_bind_int64(statement, place, number)
        case .real(let number): return unsafe sqlite3_bind_double(statement, place, number)
        case .text(let text): return unsafe bind(text: Array(text.utf8), at: place, of: statement)
        case .invalidText(let bytes): return unsafe bind(text: bytes, at: place, of: statement)
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes { buffer in
                // A missing address would mean NULL.
                guard let address = buffer.baseAddress else {
                    return unsafe sqlite3_bind_zeroblob(statement, place, 0)
                }
                return unsafe reprise_sqlite_bind_blob(
                    statement,
                    place,
                    address,
                    UInt64(buffer.count)
                )
            }
        }
    }

    @unsafe private static func bind(
        text bytes: [UInt8],
        at place: Int32,
        of statement: OpaquePointer
    ) -> Int32 {
        // One byte more, so that there is an address even for the empty text.
        unsafe (bytes + [0]).withUnsafeBytes { buffer in
            unsafe reprise_sqlite_bind_text(
                statement,
                place,
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count)
            )
        }
    }
}
