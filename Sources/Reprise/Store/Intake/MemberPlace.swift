internal import RepriseLog

/// What a list says of the row of a member, or a row of its partner in a one-to-one: where its to-one leads, and its
/// place there.
struct MemberPlace {
    let slot: Int
    /// The place in the list; 0 where it stays what it is, and in a one-to-one.
    let orderKey: UInt64
    /// Where the to-one leads; nil for nowhere.
    let owner: [UInt8]?
    /// Whether it is of a one-to-one.
    var isOfPair = false

    func write(to writer: inout ByteWriter) {
        writer.u16(UInt16(slot))
        writer.u64(orderKey)
        writer.u8((isOfPair ? 1 : 0) | (owner == nil ? 2 : 0))
        unsafe owner?.withUnsafeBytes { unsafe writer.bytes($0) }
    }
}

extension MemberPlace {
    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = unsafe ByteReader(bytes)
        slot = Int(try reader.u16())
        orderKey = try reader.u64()
        let flags = try reader.u8()
        isOfPair = flags & 1 != 0
        owner = flags & 2 != 0 ? nil : unsafe [UInt8](reader.rest())
    }
}

/// What becomes of an entry of a list, by the owner of the list.
struct ListedChange {
    let entry: EntryDelta

    init(_ entry: EntryDelta) { self.entry = entry }

    func write(to writer: inout ByteWriter) {
        writer.u16(entry.relation)
        writer.u8((entry.from == nil ? 0 : 1) | (entry.to == nil ? 0 : 2))
        writer.varint(entry.serial)
        if let from = entry.from { writer.u64(from) }
        if let to = entry.to { writer.u64(to) }
        unsafe entry.target.withUnsafeBytes { unsafe writer.bytes($0) }
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = unsafe ByteReader(bytes)
        let relation = try reader.u16()
        let flags = try reader.u8()
        let serial = try reader.varint()
        let from = flags & 1 == 0 ? nil : try reader.u64()
        let to = flags & 2 == 0 ? nil : try reader.u64()
        let target = unsafe [UInt8](reader.rest())
        entry = EntryDelta(relation: relation, serial: serial, target: target, from: from, to: to)
    }
}
