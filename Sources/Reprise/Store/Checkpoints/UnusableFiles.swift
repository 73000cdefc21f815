internal import RepriseLMDB

/// The files that were found to be of no use as checkpoints, so that they are not read again and again, and are told of
/// once (HIS-102).
struct UnusableFiles {
    /// A file as it was, and the schema in force, which decides as well.
    private struct Key: Hashable {
        let path: String
        let stamp: SealedFile.Stamp?
        let schemaPosition: UInt64
    }

    /// Until when each is passed over; nil is for ever.
    private var found: [Key: ContinuousClock.Instant?] = [:]

    /// Whether a file is to be passed over.
    ///
    /// - Parameter stamp: nil where the file cannot be opened.
    func contains(_ path: String, _ stamp: SealedFile.Stamp?, _ schemaPosition: UInt64) -> Bool {
        guard let end = found[Key(path: path, stamp: stamp, schemaPosition: schemaPosition)] else { return false }
        return end.map { ContinuousClock.now < $0 } ?? true
    }

    /// Notes that a file cannot be used.
    ///
    /// - Parameter pause: how long it is passed over; nil is for ever.
    /// - Returns: whether that is new.
    mutating func insert(
        _ path: String,
        _ stamp: SealedFile.Stamp?,
        _ schemaPosition: UInt64,
        for pause: Duration?
    ) -> Bool {
        let key = Key(path: path, stamp: stamp, schemaPosition: schemaPosition)
        return found.updateValue(pause.map { ContinuousClock.now + $0 }, forKey: key) == nil
    }
}
