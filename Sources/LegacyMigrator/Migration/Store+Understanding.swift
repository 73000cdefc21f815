import LegacyMapping
public import LegacyRecords
public import Reprise

extension Store {
    /// An export as the store has understood the one before it of the same source: what a file does not say (which
    /// columns tell rows apart, which numbers are dates, which tables are lists) is then what it was.
    ///
    /// ``Migrator`` and ``MigrationVerifier`` do that themselves. By itself it serves to know the schema that they go
    /// by.
    ///
    /// - Parameters:
    ///   - source: the export.
    ///   - progress: called now and then where the export has to be looked at once more; returning false cancels.
    /// - Returns: the same export where nothing of it was migrated before, or nothing is decided otherwise by itself.
    /// - Throws: ``LegacyError``, ``MigrationError`` with the code `unreadableRecord`, and what reading throws.
    /// - Complexity: O(1), or that of opening the export.
    public func understood(
        _ source: any LegacySource,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws -> any LegacySource {
        let earlier = try SourceHistory(of: source.identity, in: self).earlier(in: self)
        let found =
            source.interpretation.differs(from: earlier)
            ? try source.understood(as: earlier, progress: progress) : source
        return try found.named(asIn: schema) ?? found
    }
}
