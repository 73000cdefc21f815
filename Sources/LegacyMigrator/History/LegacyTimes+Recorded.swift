public import LegacyRecords
public import Reprise

extension LegacyTimes {
    /// What the log says of a row, to the microsecond: the times that its record had when a migration last wrote it,
    /// or, where somebody has changed it since, when one inserted it (Specs/format/migration.md).
    ///
    /// - Returns: nil where there is no such row, or its source did not know.
    /// - Throws: what reading throws, and ``MigrationError`` with the code `unreadableRecord`.
    /// - Complexity: O(events of the one or two commits that wrote the row).
    public static func recorded(
        of row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> LegacyTimes? {
        guard let found = try state.revision(of: row) else { return nil }
        for position in [found.revision.position, found.created] {
            var times: LegacyTimes?
            try state.forEachCommit(from: position, to: position, where: { $0.annotation != nil }) {
                for annotation in $0.events.compactMap(\.annotation)
                where annotation.name == RecordedTimes.name {
                    times = try RecordedTimes(annotation).times(of: row) ?? times
                }
                return false
            }
            if let times { return times }
        }
        return nil
    }

    /// The name of the annotations in which a migration says so (Specs/format/migration.md).
    public static let annotationName = RecordedTimes.name

    /// What a commit says of rows that a migration inserted or updated in it, to the microsecond.
    ///
    /// - Parameter annotations: the annotations of one commit; those of other names are passed over.
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    /// - Complexity: O(bytes of the annotations).
    public static func recorded(
        in annotations: some Sequence<Annotation>
    ) throws -> [EntityReference: LegacyTimes] {
        var times: [EntityReference: LegacyTimes] = [:]
        for annotation in annotations where annotation.name == annotationName {
            times.merge(try RecordedTimes(annotation).timesByRow) { _, last in last }
        }
        return times
    }
}
