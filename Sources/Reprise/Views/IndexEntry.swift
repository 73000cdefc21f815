/// The value of the table `index`: where in the key the identifier begins, and whether a component was cut.
struct IndexEntry: Equatable {
    let prefixByteCount: Int
    let wasCut: Bool

    init(prefixByteCount: Int, wasCut: Bool) {
        self.prefixByteCount = prefixByteCount
        self.wasCut = wasCut
    }

    /// Reads the value under `key`.
    init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(StoreError) {
        guard value.count == 2 else { throw .damage("An index entry has the wrong length.") }
        let bits = unsafe UInt16(littleEndian: value.loadUnaligned(as: UInt16.self))
        prefixByteCount = Int(bits & 0x7FFF)
        wasCut = bits & 0x8000 != 0
        guard prefixByteCount >= 2, prefixByteCount <= key.count else {
            throw .damage("An index entry does not fit its key.")
        }
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        let bits = UInt16(prefixByteCount) | (wasCut ? 0x8000 : 0)
        unsafe withUnsafeBytes(of: bits.littleEndian) { unsafe body($0) }
    }
}
