internal import RepriseLog

/// What the last intake of a source says of the rows that earlier ones of it have brought (HIS-116).
///
/// A revert of an earlier one leaves them as they are: were the earlier one not there, the last one would have brought
/// them.
package struct LastWord: Sendable {
    /// What the intake that has the last word is called.
    package let name: String
    /// Its last position.
    let position: Position
    /// Whether intakes of the source have written a position.
    private let owns: @Sendable (Position) -> Bool
    /// The models of which it has rows.
    private let models: Set<String>
    /// Rows that are there though it has them no more.
    private let released: Set<EntityKey>

    /// - Parameters:
    ///   - name: what the intake is called.
    ///   - position: of its last event.
    ///   - owns: whether intakes of the source have written a position.
    ///   - models: the names of the models of which the intake had rows.
    ///   - deviations: what it left otherwise than it said it.
    package init(
        _ name: String,
        position: Position,
        owns: @escaping @Sendable (Position) -> Bool,
        models: Set<String>,
        _ deviations: Deviations
    ) {
        self.name = name
        self.position = position
        self.owns = owns
        self.models = models
        released = Set(deviations.rows.filter(\.value.isReleased).keys)
    }

    /// Whether it comes after a commit of its source and is not taken back with it.
    func speaks(of commit: CommitView, among takenBack: [CommitView]) -> Bool {
        commit.lastPosition < position.rawValue && owns(Position(commit.firstPosition))
            && !takenBack.contains { $0.firstPosition...$0.lastPosition ~= position.rawValue }
    }

    /// The rows on which it has the last word.
    func rows(in schema: CompiledSchema) -> UntouchedRows {
        UntouchedRows(models: Set(models.compactMap { schema.description.model(named: $0)?.number }), but: released)
    }
}
