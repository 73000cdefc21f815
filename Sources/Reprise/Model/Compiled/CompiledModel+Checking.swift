extension CompiledModel {
    /// Throws unless the value in each slot is one of its attribute's type (STO-70).
    ///
    /// For rows whose bytes come from the log: what is derived from a row, and what is read from it, may then rely on
    /// the types. O(slots); nothing is allocated but for collections, decimals and text that is not ASCII.
    func check(_ payload: RowPayload) throws(ValueError) {
        // A later attribute would find its value in a slot that none had.
        guard payload.slotCount <= slots.count else { throw ValueError(.wrongLength) }
        for slot in 0..<min(payload.slotCount, slots.count) {
            guard let bytes = unsafe payload.slot(slot), let known = slots[slot] else { continue }
            switch known.scalar {
            case .bool: _ = unsafe try Bool.read(bytes)
            case .int, .double, .date: unsafe try require(8, bytes)
            case .string: unsafe try Self.checkText(bytes)
            case nil: unsafe try Self.check(bytes, attributesInOrder[known.place])
            }
        }
    }

    private static func check(
        _ bytes: UnsafeRawBufferPointer,
        _ attribute: CompiledAttribute
    ) throws(ValueError) {
        guard attribute.type == .reference else {
            _ = unsafe try Value(decoding: bytes, as: attribute.type)
            return
        }
        guard bytes.count >= 8 else { throw ValueError(.wrongLength) }
        let target = unsafe UnsafeRawBufferPointer(rebasing: bytes[8...])
        unsafe try checkText(target)
        unsafe try IdentifierKey.check(target)
    }

    private static func checkText(_ bytes: UnsafeRawBufferPointer) throws(ValueError) {
        if unsafe !isASCII(bytes) { _ = unsafe try String.read(bytes) }
    }
}
