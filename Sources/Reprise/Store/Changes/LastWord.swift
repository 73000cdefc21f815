internal import RepriseLog

/// The newest export of a source that was migrated: it has the last word on the rows of its models (HIS-116).
///
/// A revert of an earlier migration of the source leaves these rows as they are. They would be there without the
/// earlier migration as well.
package struct LastWord: Sendable {
    /// The identifier of the migration that has brought the export.
    package let migration: String
    /// The last position of the migration.
    let position: Position
    /// Whether migrations of the source have written a position.
    private let owns: @Sendable (Position) -> Bool
    /// The models of which the export has rows, by their names of then.
    private let models: Set<String>
    /// Rows that the export does not have, and that are there because they were changed here.
    private let released: Set<EntityKey>

    /// - Parameters:
    ///   - migration: its identifier.
    ///   - position: its last one.
    ///   - owns: whether migrations of the source have written a position.
    ///   - models: the models of which the export has rows, by the names that they had at the position.
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
        released = Set(deviations.rows.filter(\.value.isReleased).keys)
    }

    /// Whether a commit is an earlier one of the same source, and the migration is not taken back together with it.
    func isAbout(_ commit: CommitView, among takenBack: [CommitView]) -> Bool {
        commit.lastPosition < position.rawValue && owns(Position(commit.firstPosition))
            && !takenBack.contains { $0.firstPosition...$0.lastPosition ~= position.rawValue }
    }

    /// The rows on which the export has the last word.
    func rows(in history: SchemaHistory) -> UntouchedRows {
        let schema = history.declared(upTo: position.rawValue) ?? history.present
        return UntouchedRows(models: Set(models.compactMap { schema.model(named: $0)?.number }), but: released)
    }
}
