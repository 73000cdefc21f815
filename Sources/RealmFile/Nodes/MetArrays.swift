/// The arrays of a tree that a walk has opened, so that it opens none of them twice.
///
/// Takes a few hundredths of the file at most: of many arrays there is a bit for every eight bytes of the file, which a
/// walk over few of them could not afford to clear.
struct MetArrays {
    private static let fewCountMax = 64

    private let byteCount: Int
    private var few: Set<Int> = []
    private var many: UnitSet?

    /// - Parameter byteCount: the size of the file.
    init(in byteCount: Int) {
        self.byteCount = byteCount
    }

    /// Returns whether an array is new. What is no place for an array is: its opening fails.
    mutating func insert(_ reference: Int) -> Bool {
        guard reference >= 0, reference < byteCount, reference % 8 == 0 else { return true }
        let unit = reference / 8
        if many == nil {
            guard few.count >= max(Self.fewCountMax, byteCount / 1024) else {
                return few.insert(unit).inserted
            }
            var all = UnitSet(byteCount: byteCount)
            for unit in few { all.insert(unit..<unit + 1) }
            many = all
            few = []
        }
        guard many?.contains(unit) == false else { return false }
        many?.insert(unit..<unit + 1)
        return true
    }
}
