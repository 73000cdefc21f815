internal import RepriseLMDB
internal import RepriseLog

/// A row as an export says it.
struct StatedRow {
    let entity: EntityKey
    /// Whether the store can never hold what is said: the row stays as it is.
    let isRefused: Bool
    /// The slots of which nothing is said, a bit for each.
    private let unsaid: [UInt8]
    let attachment: [UInt8]
    /// What the row is where it is not there yet. References have no places in lists.
    let payload: [UInt8]

    func says(_ slot: Int) -> Bool { unsaid[slot / 8] & 1 << (slot % 8) == 0 }

    fileprivate init(_ reader: inout ByteReader) throws {
        let model = try reader.u16()
        entity = try unsafe EntityKey(model: model, id: reader.bytes(try reader.count()))
        isRefused = try reader.u8() == 1
        unsaid = try unsafe [UInt8](reader.bytes(try reader.count()))
        attachment = try unsafe [UInt8](reader.bytes(try reader.count()))
        payload = unsafe [UInt8](reader.rest())
    }
}

/// Goes through the rows of an intake, in the order of their keys.
struct StatedRows {
    private var records: SpillRecords
    private(set) var present: StatedRow?

    init(_ file: SpillFile) { records = SpillRecords(file) }

    /// Goes to the next one; ``present`` is nil behind the last.
    mutating func advance() throws {
        present = try records.next { try StatedRow(&$0) }
    }
}

/// That something is a member of a list, or that the list is given.
struct StatedMember {
    enum Kind: UInt8 {
        /// The list is given, whatever is in it.
        case list
        /// The member is named by the list.
        case byList
        /// The member names the owner by its to-one.
        case byItsToOne
    }

    let list: ListKey
    let kind: Kind
    let id: [UInt8]

    fileprivate init(_ reader: inout ByteReader) throws {
        let relation = try reader.u16()
        list = try unsafe ListKey(relation: relation, id: [UInt8](reader.bytes(try reader.count())))
        guard let kind = Kind(rawValue: try reader.u8()) else {
            throw StoreError.damage("A temporary file has a member of no kind.")
        }
        self.kind = kind
        id = unsafe [UInt8](reader.rest())
    }
}

/// Goes through the members of an intake, list by list, in the order that they are to have.
struct StatedMembers {
    private var records: SpillRecords
    private(set) var present: StatedMember?

    init(_ file: SpillFile) { records = SpillRecords(file) }

    /// Goes to the next one; ``present`` is nil behind the last.
    mutating func advance() throws {
        present = try records.next { try StatedMember(&$0) }
    }

    /// The next list as a whole; nil behind the last.
    mutating func nextList() throws -> StatedList? {
        guard let first = present else { return nil }
        var list = StatedList(key: first.list)
        while let member = present, member.list == list.key {
            switch member.kind {
            case .list: list.isGiven = true
            case .byList, .byItsToOne: list.members.append(member.id)
            }
            try advance()
        }
        return list
    }
}

/// A list as an export says it.
struct StatedList {
    let key: ListKey
    /// Whether the owner says it, and not its members.
    var isGiven = false
    var members: [[UInt8]] = []
}
