import LegacyRecords

/// A list of the export that is being written, piece by piece.
final class ListInProgress {
    let shape: ClassShape
    let list: ClassShape.ToMany
    /// The owner's identifier in the source.
    let key: String
    /// The identifiers of the members in the source.
    let members: LegacyReferences

    /// What became of the owner's record in this run; nil where the list comes by itself.
    var owner: MigrationWriter.Outcome?
    /// Whether somebody else had changed the owner; nil as long as nobody asks.
    var isChangedHere: Bool?
    /// Where to begin: how many of the wanted entries are in place.
    var presentCount = 0
    /// The owner's identifier in the store, once it is known.
    var id = ""
    var isLeftOut = false
    /// Whether the migration has made the owner.
    var isNew = false
    /// Whether it stays as somebody else has changed it.
    var isKept = false
    var hasBegun = false
    /// Whether what the store has was compared with it.
    var isCompared = false
    /// Whether it is to be written once more at the end.
    var isPostponed = false
    /// Whether it has been written before in this run.
    var isTriedAgain = false
    var isCounted = false
    /// Whether it is to be respaced in the end.
    var isDisturbed = false

    init(
        _ shape: ClassShape,
        _ list: ClassShape.ToMany,
        key: String,
        members: LegacyReferences
    ) {
        self.shape = shape
        self.list = list
        self.key = key
        self.members = members
    }
}
