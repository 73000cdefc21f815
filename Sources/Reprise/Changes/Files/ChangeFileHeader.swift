internal import RepriseLog

/// What a file of changes says before its changes (Specs/format/changes.md).
struct ChangeFileHeader {
    /// "RPCH"
    static let magic: UInt32 = 0x4843_5052
    static let version: UInt32 = 1
    /// Magic, version and the size of the header.
    static let startByteCount = 12
    /// The largest header that is read: a schema has at most some megabytes.
    static let byteCountMax = 64 << 20

    /// A branch of a branch of a branch has few.
    static let markCountMax = 4096

    let home: ChangeHome
    let schema: SchemaDescription
    let recordCount: Int

    init(home: ChangeHome, schema: SchemaDescription, recordCount: Int) {
        self.home = home
        self.schema = schema
        self.recordCount = recordCount
    }

    /// All that comes before the changes.
    func write(to writer: inout ByteWriter) {
        var body = ByteWriter()
        unsafe home.identity.withUnsafeBytes { unsafe body.bytes($0) }
        body.digest(home.firstHash)
        body.varint(UInt64(home.marks.count))
        for mark in home.marks {
            body.varint(UInt64(mark.branch))
            mark.begin.write(to: &body)
        }
        home.from.write(to: &body)
        home.to.write(to: &body)
        body.varint(UInt64(home.ends.count))
        for end in home.ends {
            body.varint(end.position)
            body.digest(end.hash)
        }
        body.counted(schema.encode())
        body.varint(UInt64(recordCount))
        writer.u32(Self.magic)
        writer.u32(Self.version)
        writer.u32(UInt32(body.count))
        unsafe writer.bytes(body.bytes)
    }

    /// - Parameter reader: what comes behind the size of the header.
    init(decoding reader: inout ByteReader) throws {
        let identity = try unsafe [UInt8](reader.bytes(16))
        let firstHash = try reader.digest()
        var marks: [BranchMark] = []
        for _ in 0..<(try reader.count(atMost: Self.markCountMax)) {
            let number = try reader.varint(in: 1...UInt64(EntryName.branchNumberMax))
            let begin = try StorePoint(decoding: &reader)
            let mark = BranchMark(
                branch: UInt32(number),
                position: begin.position + 1,
                parent: begin.identity,
                hash: begin.hash
            )
            guard begin.position > marks.last?.begin.position ?? 0,
                !marks.contains(where: { $0.branch == mark.branch })
            else { throw LogError(.corrupt, detail: "branches contradict each other") }
            marks.append(mark)
        }
        let from = try StorePoint(decoding: &reader)
        let to = try StorePoint(decoding: &reader)
        var ends: [ChangeHome.CommitEnd] = []
        for _ in 0..<(try reader.count()) {
            let position = try reader.varint()
            guard position > ends.last?.position ?? min(from.position, to.position) else {
                throw LogError(.corrupt, detail: "commits are not in order")
            }
            ends.append(ChangeHome.CommitEnd(position: position, hash: try reader.digest()))
        }
        home = ChangeHome(identity: identity, firstHash: firstHash, marks: marks, from: from, to: to, ends: ends)
        schema = try unsafe SchemaDescription(decoding: [UInt8](reader.bytes(try reader.count())))
        recordCount = try Int(reader.varint(in: 0...UInt64(UInt32.max)))
        guard reader.isAtEnd else { throw LogError(.corrupt, detail: "the header is longer than what it holds") }
    }
}

extension BranchMark {
    /// The point of the parent where the branch begins.
    fileprivate var begin: StorePoint { StorePoint(identity: parent, position: position - 1, hash: hash) }
}
