import ExportFormats
import LegacyRecords

/// Lists that are written once more when other records have been: eight bytes a member and 24 a list, where
/// identifiers are sixteen upper-case hexadecimal digits; beyond a ``RecordMemory`` on disk.
final class PostponedLists {
    private var kinds: [(shape: ClassShape, list: ClassShape.ToMany)] = []
    /// The kind of each, and in the lowest bits what has been done of it.
    private let standings: RememberedIdentifiers
    /// The owners' identifiers in the source.
    private let keys: RememberedIdentifiers
    /// The members of all of them, one list after the other, and where each list ends.
    private let members: RememberedIdentifiers
    private let ends: RememberedIdentifiers

    init(in memory: RecordMemory) {
        standings = RememberedIdentifiers(in: memory)
        keys = RememberedIdentifiers(in: memory)
        members = RememberedIdentifiers(in: memory)
        ends = RememberedIdentifiers(in: memory)
    }

    var count: Int { ends.count }
    var isEmpty: Bool { count == 0 }

    /// Adds a list of which nothing is written any more in this round.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func append(_ list: ListInProgress) throws(LegacyError) {
        var kind = kinds.count
        for (place, known) in kinds.enumerated()
        where known.shape === list.shape && known.list.name == list.list.name { kind = place }
        if kind == kinds.count { kinds.append((list.shape, list.list)) }
        let done = (list.isCounted ? 2 : 0) + (list.isDisturbed ? 1 : 0)
        try standings.append(.number(UInt64(kind << 2 + done)))
        try keys.append(RecordKey(list.key))
        for member in list.members { try members.append(RecordKey(member)) }
        try ends.append(.number(UInt64(members.count)))
    }

    /// A list as it is to be written once more: whatever became of its owner.
    func list(at index: Int) throws(LegacyError) -> ListInProgress {
        let standing = try standings.number(at: index)
        let kind = kinds[standing >> 2]
        var wanted = LegacyReferences()
        let start = index == 0 ? 0 : try ends.number(at: index - 1)
        for place in start..<(try ends.number(at: index)) {
            try wanted.append(try members.key(at: place))
        }
        let list = ListInProgress(
            kind.shape,
            kind.list,
            key: try keys.key(at: index).text,
            members: wanted
        )
        list.isCounted = standing & 2 != 0
        list.isDisturbed = standing & 1 != 0
        list.isTriedAgain = true
        return list
    }
}
