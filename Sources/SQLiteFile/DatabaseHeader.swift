/// The first hundred bytes of a database (https://www.sqlite.org/fileformat.html#the_database_header).
struct DatabaseHeader {
    static let byteCount = 100

    /// A hundred bytes.
    let bytes: [UInt8]

    /// Whether changes go to a write-ahead log first.
    var usesLog: Bool { bytes[18] == 2 || bytes[19] == 2 }

    /// Checks that a file that has no log is as long as its header says. Where the header's size was not kept up to
    /// date, by versions before 3.7, only whole pages are asked for.
    ///
    /// - Throws: `.truncated` where it is shorter, `.damaged` where the size of a page is none.
    func checkSize(_ fileByteCount: UInt64, path: String) throws(SQLiteFileError) {
        let stored = number(at: 16, byteCount: 2)
        let pageByteCount: UInt64 = stored == 1 ? 65_536 : stored
        guard pageByteCount >= 512, pageByteCount & (pageByteCount - 1) == 0 else {
            throw SQLiteFileError(.damaged, "\(path) says that its pages have \(stored) bytes.")
        }
        let isSizeValid = number(at: 24, byteCount: 4) == number(at: 92, byteCount: 4)
        let wanted = isSizeValid ? number(at: 28, byteCount: 4) * pageByteCount : 0
        guard fileByteCount >= wanted, fileByteCount % pageByteCount == 0 else {
            throw SQLiteFileError(
                .truncated,
                "\(path) has \(fileByteCount) bytes, and should have \(wanted)."
            )
        }
    }

    private func number(at place: Int, byteCount: Int) -> UInt64 {
        bytes[place..<place + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
