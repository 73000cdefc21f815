internal import RepriseLog

/// A set of the keys that were put into it last: a later one takes the place of an earlier one.
struct RecentKeys {
    /// A power of two. At most so many keys are in it.
    private static let slotCount = 1 << 15

    private var slots: [EntityKey?] = []

    func contains(_ key: EntityKey) -> Bool { !slots.isEmpty && slots[Self.slot(of: key)] == key }

    mutating func insert(_ key: EntityKey) {
        if slots.isEmpty { slots = [EntityKey?](repeating: nil, count: Self.slotCount) }
        slots[Self.slot(of: key)] = key
    }

    mutating func remove(_ key: EntityKey) {
        if contains(key) { slots[Self.slot(of: key)] = nil }
    }

    private static func slot(of key: EntityKey) -> Int {
        let hash = unsafe key.id.withUnsafeBytes { unsafe XXH64.hash($0, seed: UInt64(key.model)) }
        return Int(truncatingIfNeeded: hash) & (slotCount - 1)
    }
}
