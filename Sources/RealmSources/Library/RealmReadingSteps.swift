import LegacyRecords

/// How far the reading of a Realm file is.
struct RealmReadingSteps {
    private let byteCount: UInt64
    /// Which share of the whole the parts take.
    private let shares: [Double]
    private var part = 0
    private var objectsDone = 0
    private var objectCount = 1

    /// The examination and the hash, as long as they take beside records that are written somewhere; the records, and
    /// more parts that are as long as these.
    init(byteCount: UInt64, recordPartCount: Int) {
        self.byteCount = byteCount
        let count = max(1, recordPartCount)
        let record = (1 - Self.examinationShare - Self.hashShare) / Double(count)
        shares =
            [Self.examinationShare, Self.hashShare]
            + [Double](repeating: record, count: count)
    }

    private static let examinationShare = 0.1
    private static let hashShare = 0.02

    /// The next part begins, in which there are so many objects.
    mutating func begin(_ objectCount: Int = 1) {
        part = min(part + 1, shares.count - 1)
        objectsDone = 0
        self.objectCount = max(1, objectCount)
    }

    /// One object more; says how far it is now and then.
    mutating func advance() -> LegacyProgress? {
        objectsDone += 1
        guard objectsDone % 16_384 == 0 else { return nil }
        return progress(done: objectsDone, of: objectCount)
    }

    func progress(done: Int, of count: Int) -> LegacyProgress {
        let share = min(1, Double(done) / Double(max(1, count)))
        let before = shares[..<part].reduce(0, +)
        let bytes = Double(byteCount) * (before + shares[part] * share)
        return LegacyProgress(bytesRead: min(byteCount, UInt64(bytes)), byteCount: byteCount)
    }
}
