/// A view of a row payload where it lies: reads one slot without touching the others.
///
/// The bytes must outlive the view. Whatever they are, no access leaves them. Layout:
/// `Specs/format/rows.md`.
@safe
public struct RowPayload {
    /// The largest value area whose offsets are 16 bits wide.
    static let narrowByteCountMax = 32767
    /// The most slots a row can have.
    public static let slotCountMax = 32000

    /// The whole payload.
    public let bytes: UnsafeRawBufferPointer
    /// How many slots are stored; every slot from here on is nil.
    public let slotCount: Int
    @usableFromInline let isWide: Bool
    @usableFromInline let valueStart: Int
    /// The defaults that stand in for values that the row lacks. The schema keeps them, not this view.
    @usableFromInline var defaults: Unmanaged<RowDefaults>?

    /// Looks at bytes whose checksum has been verified: checks only that the table fits. O(1).
    @inlinable
    public init(trusting bytes: UnsafeRawBufferPointer) throws(ValueError) {
        guard bytes.count >= 2 else { throw ValueError(.wrongLength) }
        let head = unsafe UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self))
        slotCount = Int(head & 0x7FFF)
        isWide = head & 0x8000 != 0
        valueStart = 2 + slotCount * (isWide ? 4 : 2)
        unsafe self.bytes = bytes
        unsafe defaults = nil
        guard valueStart <= bytes.count else { throw ValueError(.wrongLength) }
    }

    /// As above, for reading values: where the row lacks one that has a default, that is read instead.
    ///
    /// - Parameter defaults: those of the row's model, which must outlive this view.
    init(
        trusting bytes: UnsafeRawBufferPointer,
        _ defaults: RowDefaults?
    ) throws(ValueError) {
        unsafe try self.init(trusting: bytes)
        if let defaults { unsafe self.defaults = Unmanaged.passUnretained(defaults) }
    }

    /// Checks that the table is canonical: what an encoder would have written. O(slots).
    public init(_ bytes: UnsafeRawBufferPointer) throws(ValueError) {
        unsafe try self.init(trusting: bytes)
        let area = bytes.count - valueStart
        guard isWide == (area > Self.narrowByteCountMax), slotCount <= Self.slotCountMax else {
            throw ValueError(.notCanonical)
        }
        var previous = 0
        var lastIsNil = false
        for slot in 0..<slotCount {
            let (end, isNil) = entry(slot)
            guard end >= previous, !isNil || end == previous else {
                throw ValueError(.notCanonical)
            }
            previous = end
            lastIsNil = isNil
        }
        guard previous == area, !lastIsNil else { throw ValueError(.notCanonical) }
    }

    /// Where the slot's value ends within the value area, and whether it is nil.
    @inlinable
    @inline(__always)
    func entry(_ slot: Int) -> (end: Int, isNil: Bool) {
        if isWide {
            let entry = unsafe UInt32(
                littleEndian: bytes.loadUnaligned(
                    fromUncheckedByteOffset: 2 + 4 * slot,
                    as: UInt32.self
                )
            )
            return (Int(entry & 0x7FFF_FFFF), entry >> 31 != 0)
        }
        let entry = unsafe UInt16(
            littleEndian: bytes.loadUnaligned(
                fromUncheckedByteOffset: 2 + 2 * slot,
                as: UInt16.self
            )
        )
        return (Int(entry & 0x7FFF), entry >> 15 != 0)
    }

    /// The bytes of a slot, or nil where it has no value (or the table is damaged). O(1).
    @inlinable
    @inline(__always)
    public func slot(_ slot: Int) -> UnsafeRawBufferPointer? {
        guard slot >= 0, slot < slotCount else { return unsafe standIn(slot) }
        let (end, isNil) = entry(slot)
        if isNil { return unsafe standIn(slot) }
        let begin = slot == 0 ? 0 : entry(slot - 1).end
        guard begin <= end, unsafe end <= bytes.count - valueStart else { return nil }
        return unsafe UnsafeRawBufferPointer(
            start: bytes.baseAddress.unsafelyUnwrapped + (valueStart + begin),
            count: end - begin
        )
    }
}

extension RowPayload {
    /// What stands in for a value that is not there.
    @inlinable
    @inline(__always)
    func standIn(_ slot: Int) -> UnsafeRawBufferPointer? {
        guard let defaults = unsafe defaults else { return nil }
        return unsafe defaults._withUnsafeGuaranteedRef { unsafe $0.bytes(slot) }
    }
}

extension UnsafeRawBufferPointer {
    /// Loads without the bounds check of `loadUnaligned(fromByteOffset:as:)`; the caller checked.
    @inlinable
    @inline(__always)
    func loadUnaligned<T: BitwiseCopyable>(fromUncheckedByteOffset offset: Int, as: T.Type) -> T {
        unsafe (baseAddress.unsafelyUnwrapped + offset).loadUnaligned(as: T.self)
    }
}

/// What becomes of one slot when a payload is written anew.
@unsafe
enum SlotEdit {
    /// The old bytes stay.
    case keep
    /// The slot becomes nil.
    case clear
    /// The slot gets these bytes.
    case replace(UnsafeRawBufferPointer)
}

extension RowPayloadWriter {
    /// Writes `old` again with some slots changed. O(bytes); no allocation once the buffer has grown.
    ///
    /// - Parameters:
    ///   - old: the payload to start from; it must not lie in this writer.
    ///   - slotCount: how many slots the model has now.
    ///   - edit: asked once for each slot in ascending order.
    mutating func rewrite(
        _ old: RowPayload,
        slotCount: Int,
        edit: (_ slot: Int) throws(ValueError) -> SlotEdit
    ) throws(ValueError) {
        removeAll()
        let total = max(slotCount, old.slotCount)
        var row = beginRow(slotCount: total)
        for slot in 0..<total {
            let bytes: UnsafeRawBufferPointer? =
                switch unsafe try edit(slot) {
                case .keep: unsafe old.slot(slot)
                case .clear: nil
                case .replace(let bytes): unsafe bytes
                }
            if let bytes = unsafe bytes {
                unsafe append(bytes: bytes)
                endSlot(&row)
            } else {
                skipSlot(&row)
            }
        }
        try endRow(row)
    }
}
