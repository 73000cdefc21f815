/// Answers questions about the source of an export while the export is compared, and takes note of what is found.
package protocol IntakeObserver: AnyObject {
    /// Forgets what was found: all is compared anew, because another process has written meanwhile.
    func begin()
    /// Whether the source has written the event at a position.
    func isOwn(_ position: Position) -> Bool
    /// Whether others than the source have written attributes of a row of which the source never says anything.
    ///
    /// - Parameter revision: the position of the row's last event.
    func isChangedElsewhere(_ row: EntityReference, created: Position, revision: Position) throws -> Bool
    /// Whether the export has a row that the store can hold.
    func isStated(_ model: String, _ id: String) throws -> Bool
    /// Whether the store may have rows of a model that the export has no more.
    func looks(for model: String) -> Bool
    /// Whether an export of the source before this one has said something of an attribute or a list.
    func hasSpoken(of name: String, _ model: String) -> Bool
    /// Whether this export says something of an attribute.
    func gives(_ attribute: String, of model: String) -> Bool
    /// Whether others than the source have written an attribute of a row last.
    func wasChanged(_ row: EntityReference, _ attribute: String) throws -> Bool
    /// Whether others than the source have changed a list of entries last.
    func wasListChanged(_ list: String, of owner: EntityReference) throws -> Bool
    /// Whether others than the source have deleted a row.
    func wasDeleted(_ row: EntityReference) throws -> Bool
    /// Takes note of something. What it throws ends the comparison.
    func note(_ finding: IntakeFinding) throws
}

/// What a comparison of an export with a store has found.
package enum IntakeFinding {
    /// A row is new; it was deleted here, and is made again because the export says something else of it now.
    case new(EntityReference, [UInt8], wasDeletedHere: Bool)
    /// A row is as the export says it, as far as it says anything; `keeps` are values that were changed here and stay.
    case same(EntityReference, keeps: [String])
    /// A row gets other values. `replaced` is one of those in the place of which another one comes; nil where there are
    /// none.
    case different(EntityReference, [UInt8], keeps: [String], replaced: Replaced?)
    /// A row gets values in the place of those that were changed here.
    case overwritten(EntityReference)
    /// A row was deleted here and stays so.
    case staysDeleted(EntityReference)
    /// The export has a row no more, which goes unless something stands in the way.
    case gone(EntityReference)
    /// A row that the export has no more stays because it was changed here.
    case keptThoughGone(EntityReference)
    /// A to-one is empty because what it names does not exist.
    case missingTarget(EntityReference, String)
    /// A list lacks members that do not exist.
    case missingMember(EntityReference, list: String, target: String)
    /// The export gives a list of a row that does not exist.
    case missingOwner(EntityReference, list: String)
    /// A list was changed here and stays as it is.
    case keptList(EntityReference, list: String)
    /// A list is changed here and in the export.
    case changedList(EntityReference, list: String)
    /// Entries are taken out of a list, of so many.
    case leaving(EntityReference, list: String, targets: [String], of: Int)
    /// A list keeps an entry that the export lacks, because it was added here.
    case addedHere(EntityReference)
    /// A row cannot be changed as far as the export says, because the change is too large for the log.
    case tooLarge(StoreError, EntityReference)

    /// A value in the place of which another one comes.
    package struct Replaced {
        package let name: String
        package let from: Value
        package let to: Value
    }
}
