/// How large a row can become when references are put into its to-ones as a consequence of something else.
///
/// What one operation puts into a row adds up; what it takes out meanwhile does not count, for it may come later.
struct RowRoom {
    private let slotCount: Int
    /// The bytes of all values.
    private let areaByteCount: Int
    /// Those of the to-ones of one-to-one relationships.
    private let lengths: [Int: Int]

    init(_ payload: RowPayload, _ model: CompiledModel) {
        slotCount = payload.slotCount
        areaByteCount = unsafe payload.bytes.count - payload.valueStart
        lengths = Dictionary(
            model.pairSlots.lazy.map { ($0.slot, unsafe payload.slot($0.slot)?.count ?? 0) },
            uniquingKeysWith: max
        )
    }

    /// Whether the row can hold all of these references.
    ///
    /// - Parameter references: how many bytes there are to be in which to-ones.
    func holds(_ references: [Int: Int]) -> Bool {
        var slotCount = slotCount
        var areaByteCount = areaByteCount
        for (slot, byteCount) in references {
            slotCount = max(slotCount, slot + 1)
            areaByteCount += max(0, byteCount - (lengths[slot] ?? 0))
        }
        let isWide = areaByteCount > RowPayload.narrowByteCountMax
        return 2 + slotCount * (isWide ? 4 : 2) + areaByteCount <= rowByteCountMax
    }
}

/// What one operation puts into the other sides of one-to-one relationships.
struct PartnerReferences {
    private var byteCounts: [EntityKey: [Int: Int]] = [:]

    /// Notes that a partner is to point to a row.
    ///
    /// - Returns: how many bytes there are to be in which to-ones of the partner, with all that was noted before.
    mutating func add(_ partner: PartnerPlace, to row: EntityKey) -> [Int: Int] {
        // An order key stands before the identifier.
        let byteCount = MemoryLayout<UInt64>.size + row.id.count
        byteCounts[partner.entity, default: [:]][partner.slot, default: 0] = max(
            byteCounts[partner.entity]?[partner.slot] ?? 0,
            byteCount
        )
        return byteCounts[partner.entity] ?? [:]
    }
}

extension StoreError {
    /// A row that others are to point back to cannot hold the reference.
    static func noRoom(in row: EntityReference, for attribute: String) -> StoreError {
        StoreError(
            .valueTooLarge,
            "With another \(attribute) \(row) would be larger than \(rowByteCountMax) bytes.",
            advice: "Store less in it first."
        )
    }

    /// What a row has and what it is to have do not fit into one event.
    static func updateTooLarge(_ row: EntityReference) -> StoreError {
        StoreError(
            .valueTooLarge,
            "\(row) cannot be changed so much at once: an event tells what was there before, too.",
            advice: "Make the value nil first."
        )
    }
}
