internal import RepriseLMDB
internal import RepriseLog

/// Rows of a plan in a temporary file: each as the count of its bytes, a 32-bit number, and these.
extension ChangePlan.Row {
    fileprivate func write(of entity: EntityKey, to writer: inout ByteWriter) {
        let start = writer.count
        writer.u32(0)
        writer.u16(entity.model)
        writer.counted(entity.id)
        switch self {
        case .insert(let payload):
            writer.u8(0)
            writer.counted(payload)
        case .update(let from, let to):
            writer.u8(1)
            writer.counted(from)
            writer.counted(to)
        case .delete: writer.u8(2)
        }
        writer.patch(u32: UInt32(writer.count - start - 4), at: start)
    }

    static func key(_ reader: inout ByteReader) throws -> EntityKey {
        let model = try reader.u16()
        return try unsafe EntityKey(model: model, id: reader.bytes(try reader.count()))
    }

    /// Whether a row that is not read as a whole is deleted.
    static func isDeletion(_ reader: inout ByteReader) throws -> Bool { try reader.u8() == 2 }

    init(_ reader: inout ByteReader) throws {
        func payload() throws -> [UInt8] { try unsafe [UInt8](reader.bytes(try reader.count())) }
        switch try reader.u8() {
        case 0: self = .insert(try payload())
        case 1: self = .update(from: try payload(), to: try payload())
        default: self = .delete
        }
    }
}

/// Writes rows of a plan to the end of a file.
struct PlanFileWriter: ~Copyable {
    private let file: SpillFile
    private var writer = ByteWriter(capacity: 1 << 18)
    private(set) var count = 0

    init(_ file: SpillFile) { self.file = file }

    mutating func append(_ entity: EntityKey, _ row: ChangePlan.Row) throws {
        row.write(of: entity, to: &writer)
        count += 1
        if writer.count >= 1 << 18 { try finish() }
    }

    mutating func finish() throws {
        try unsafe file.append(writer.bytes)
        writer.removeAll()
    }
}

/// Reads rows of a plan from a file, from front to back.
struct PlanFileReader {
    private var records: SpillRecords

    init(_ file: SpillFile, from offset: Int = 0, byteCount: Int = 1 << 18) {
        records = SpillRecords(file, from: offset, byteCount: byteCount)
    }

    /// Where in the file the next row begins.
    var place: Int { records.place }

    /// The next row; nil at the end.
    mutating func next() throws -> (EntityKey, ChangePlan.Row)? {
        try records.next { (try ChangePlan.Row.key(&$0), try ChangePlan.Row(&$0)) }
    }

    /// The key of the next row; nil at the end.
    mutating func nextKey() throws -> EntityKey? {
        try records.next { try ChangePlan.Row.key(&$0) }
    }
}

extension EntityKey {
    /// Whether its row comes before that of another entity.
    func precedes(_ other: EntityKey) -> Bool {
        model == other.model ? id.lexicographicallyPrecedes(other.id) : model < other.model
    }
}
