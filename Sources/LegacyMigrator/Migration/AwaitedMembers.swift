import ExportFormats
import LegacyRecords
import Reprise

/// Members of lists that are not in the store yet: whether their lists will differ because of them is known when it is
/// known which records are refused. About as much as ``RememberedRows`` for each and for the owner of its list.
struct AwaitedMembers {
    private let owners: RememberedRows
    private let members: RememberedRows

    init(in memory: RecordMemory) {
        owners = RememberedRows(in: memory)
        members = RememberedRows(in: memory)
    }

    var count: Int { members.count }

    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(_ member: EntityReference, of owner: EntityReference) throws(LegacyError) {
        try members.append(member)
        try owners.append(owner)
    }

    func member(at index: Int) throws(LegacyError) -> EntityReference { try members.row(at: index) }

    func owner(at index: Int) throws(LegacyError) -> EntityReference { try owners.row(at: index) }
}

extension MigrationComparison {
    /// Whether a row of which a record came is not in the store.
    func isNew(_ row: EntityReference, in state: borrowing ReadTransaction) throws -> Bool {
        do {
            return try state.revision(of: row) == nil
        } catch let error as StoreError where MigrationWriter.refusals.contains(error.code) {
            // No row can be called that.
            return true
        }
    }

    /// Now that it is known which of them the store refuses: which lists differ because of members that come.
    func countAwaitedMembers() throws {
        try store.read { state in
            for index in 0..<newEntries.count {
                let member = try newEntries.member(at: index)
                let owner = try newEntries.owner(at: index)
                if try undecided.contains(member) { continue }
                if try refused.isAbsent(member) {
                    pass.warnOfMissing(entry: member.id, of: owner)
                } else if try state.revision(of: owner) != nil {
                    if try changedHere.contains(owner) { try pass.warnOverwritten(owner) }
                    try didFind(owner)
                }
            }
            for index in 0..<newPlaces.count {
                if try refused.isAbsent(newPlaces.member(at: index)) { continue }
                try didFind(try newPlaces.owner(at: index))
            }
        }
    }
}
