/// How far the reading of a Realm file is: its parts are taken to be about as long as each other.
struct RealmReadingSteps {
    private let byteCount: UInt64
    private let partCount: UInt64
    private var part: UInt64 = 0
    private var objectsDone = 0
    private var objectCount = 1

    init(byteCount: UInt64, partCount: UInt64) {
        self.byteCount = byteCount
        self.partCount = max(1, partCount)
    }

    /// The next part begins, in which there are so many objects.
    mutating func begin(_ objectCount: Int = 1) {
        part += 1
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
        let bytes =
            Double(byteCount) / Double(partCount) * (Double(min(part, partCount - 1)) + share)
        return LegacyProgress(bytesRead: min(byteCount, UInt64(bytes)), byteCount: byteCount)
    }
}
