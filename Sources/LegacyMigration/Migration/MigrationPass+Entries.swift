import Reprise

extension MigrationPass {
    /// Whether an entry was put into its list by a migration of the source.
    func isOurs<State: StateReading & ~Copyable>(
        _ entry: EntryID,
        _ list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        guard list.memberToOne != nil else { return isOurs(Position(rawValue: entry.serial)) }
        // The member itself says where it is: its last event tells.
        return try !isChangedHere(EntityReference(model: list.target, id: entry.target), in: state)
    }
}
