internal import RepriseLMDB
internal import RepriseLog

/// Walks the labels that begin alike, in key order, each checked against its checksum.
struct LabelScan {
    let reader: TableReader
    let table: Table

    init(_ reader: TableReader, _ table: Table) {
        self.reader = reader
        self.table = table
    }

    func forEach(prefix: [UInt8], _ body: (UnsafeRawBufferPointer, ByteReader) throws -> Void)
        throws
    {
        try unsafe prefix.withUnsafeBytes { prefix in
            var cursor = try reader.cursor(table)
            var isThere = try unsafe cursor.seek(atOrAfter: prefix)
            while isThere, unsafe cursor.key.starts(with: prefix) {
                try unsafe body(cursor.key, try LabelValue.open(cursor.value, key: cursor.key))
                isThere = try cursor.next()
            }
        }
    }

    func value(of key: [UInt8]) throws -> ByteReader? {
        try unsafe key.withUnsafeBytes { key in
            try unsafe reader.get(table, key).map { try unsafe LabelValue.open($0, key: key) }
        }
    }
}
