internal import RepriseLog

/// Rows that a revert leaves as they are: those of some models that one source has made, with exceptions.
struct UntouchedRows {
    /// The models, by number.
    private let models: Set<UInt16>
    /// Rows of these models that the revert may touch.
    private let exceptions: Set<EntityKey>
    /// Whether the source has written a position.
    private let owns: (Position) -> Bool
    private let workspace: Workspace

    init(
        models: Set<UInt16>,
        but exceptions: Set<EntityKey>,
        owns: @escaping (Position) -> Bool,
        _ workspace: Workspace
    ) {
        self.models = models
        self.exceptions = exceptions
        self.owns = owns
        self.workspace = workspace
    }

    /// Whether an event of the source is about one of them. A row that is gone is one: it stays so.
    func contains(_ event: EventView) throws -> Bool {
        guard models.contains(event.model), event.type.rawValue <= EventType.moved.rawValue else { return false }
        if exceptions.isEmpty, event.type == .inserted { return true }
        let entity = unsafe EntityKey(model: event.model, id: event.id)
        if exceptions.contains(entity) { return false }
        if event.type == .inserted { return true }
        return try workspace.row(entity).map { owns(Position($0.created)) } ?? true
    }
}
