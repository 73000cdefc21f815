internal import RepriseLog

/// One row where it lies: in the mapped file, or in a transaction's own memory.
///
/// Valid as long as the transaction that gave it, and in a write transaction only until the next flush.
@safe
struct RowView {
    /// The position of the event that inserted the entity.
    let created: UInt64
    /// The position of the entity's last event.
    let revision: UInt64
    /// The canonical row payload, see Specs/format/rows.md.
    let payload: UnsafeRawBufferPointer

    /// The bytes before the payload in the table `rows`: checksum, created, revision.
    static let headerByteCount = 24

    init(created: UInt64, revision: UInt64, payload: UnsafeRawBufferPointer) {
        self.created = created
        self.revision = revision
        unsafe self.payload = payload
    }

    /// Reads a value of the table `rows` and checks its checksum, which covers the key too, so that a row that stands
    /// in another row's place is found.
    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(StoreError) {
        try unsafe self.init(unchecked: value, key: key)
        try unsafe Self.check(key: key, value: value)
    }

    /// Throws unless the value of the table `rows` matches its checksum.
    static func check(
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(StoreError) {
        let covered = unsafe UnsafeRawBufferPointer(rebasing: value[8...])
        guard unsafe value.loadUnaligned(as: UInt64.self).littleEndian == XXH64.hash(key, covered)
        else {
            throw unsafe .damagedRow(key: key)
        }
    }

    /// Throws unless a row of the table `rows`, which must lie there, matches its checksum.
    func check(key: UnsafeRawBufferPointer) throws(StoreError) {
        let value = unsafe UnsafeRawBufferPointer(
            start: payload.baseAddress.unsafelyUnwrapped - Self.headerByteCount,
            count: Self.headerByteCount + payload.count
        )
        try unsafe Self.check(key: key, value: value)
    }

    /// Reads a value of the table `rows` without a look at its checksum, for a filter that throws most rows away: those
    /// that it lets pass must be checked.
    init(
        unchecked value: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer
    ) throws(StoreError) {
        guard value.count > Self.headerByteCount else { throw unsafe .damagedRow(key: key) }
        unsafe self.init(
            created: unsafe value.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian,
            revision: unsafe value.loadUnaligned(fromByteOffset: 16, as: UInt64.self).littleEndian,
            payload: unsafe UnsafeRawBufferPointer(rebasing: value[Self.headerByteCount...])
        )
    }

    /// Writes header and payload into `destination`, which has room for `headerByteCount + payload.count` bytes.
    func write(key: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) {
        unsafe destination.storeBytes(of: created.littleEndian, toByteOffset: 8, as: UInt64.self)
        unsafe destination.storeBytes(of: revision.littleEndian, toByteOffset: 16, as: UInt64.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: destination[Self.headerByteCount...])
            .copyMemory(from: payload)
        let covered = unsafe UnsafeRawBufferPointer(rebasing: destination[8...])
        unsafe destination.storeBytes(of: XXH64.hash(key, covered).littleEndian, as: UInt64.self)
    }

    /// This row's share of the state digest (Specs/format/digest.md).
    static func digest(key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Digest256 {
        // The key is the model number, big-endian, followed by the identifier.
        let idCount = key.count - 2
        return unsafe withUnsafeTemporaryAllocation(
            byteCount: 7 + idCount + payload.count,
            alignment: 8
        ) { buffer in
            unsafe buffer.storeBytes(of: 1, as: UInt8.self)
            unsafe buffer.storeBytes(
                of: key.loadUnaligned(as: UInt16.self),
                toByteOffset: 1,
                as: UInt16.self
            )
            unsafe buffer.storeBytes(
                of: UInt32(idCount).bigEndian,
                toByteOffset: 3,
                as: UInt32.self
            )
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[7...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: key[2...])
            )
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[(7 + idCount)...]).copyMemory(
                from: payload
            )
            return unsafe SHA256Hash.digest(of: UnsafeRawBufferPointer(buffer))
        }
    }
}
