internal import RepriseLog

/// The newest migration of a source that stands while earlier ones are taken back: its export has the last word on the
/// rows that the source has made (HIS-116).
package struct LastWord: Sendable {
    /// The identifier of the migration.
    package let migration: String
    /// The last position of the migration.
    let position: Position
    /// Whether migrations of the source have written a position.
    private let owns: @Sendable (Position) -> Bool
    /// The models of which the export has records, by their names of then.
    private let models: Set<String>
    /// Rows that the export does not have, and that are there because they were changed here or something needs them.
    private let lacking: Set<EntityKey>

    /// - Parameters:
    ///   - migration: its identifier.
    ///   - position: its last one.
    ///   - owns: whether migrations of the source have written a position.
    ///   - models: the models of which the export has records, by the names that they had at the position.
    ///   - deviations: where the store was left otherwise than the export says.
    package init(
        _ migration: String,
        position: Position,
        owns: @escaping @Sendable (Position) -> Bool,
        models: Set<String>,
        _ deviations: Deviations
    ) {
        self.migration = migration
        self.position = position
        self.owns = owns
        self.models = models
        lacking = Set(deviations.rows.filter { $0.value.isReleased || $0.value.isNeeded }.keys)
    }

    /// Whether a commit is of an earlier migration of the source.
    func isAbout(_ commit: CommitView) -> Bool {
        commit.lastPosition < position.rawValue && owns(Position(commit.firstPosition))
    }

    /// The rows on which the export has the last word.
    func rows(in history: SchemaHistory, _ workspace: Workspace) -> UntouchedRows {
        let schema = history.declared(upTo: position.rawValue) ?? history.present
        return UntouchedRows(
            models: Set(models.compactMap { schema.model(named: $0)?.number }),
            but: lacking,
            owns: owns,
            workspace
        )
    }
}
