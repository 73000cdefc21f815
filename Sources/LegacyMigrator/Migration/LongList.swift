import ExportFormats
import LegacyRecords
import Reprise

/// A list too long to be compared and put in order as a whole, on its way to what the export has: a window at a time,
/// in as many commits as that takes (Specs/format/migration.md, "Long lists").
///
/// What a commit does follows from the list as it stands and from the export alone. So a run that takes up another one
/// makes the same changes as that would have made, whatever commit it ended after.
final class LongList {
    /// From when on a list is long, and how much of it is looked at in a commit.
    struct Bounds: Sendable {
        /// What is longer is a long list.
        var lengthMax = 131_072
        /// How many wanted entries a commit brings into their places, at least 1. Each may change a page of its own in
        /// three tables, which are in memory until the commit.
        var window = 8192
    }

    /// Tests make them smaller.
    @TaskLocal static var bounds = Bounds()

    let list: ClassShape.ToMany
    let owner: EntityReference
    /// The members in order, by their identifiers in the store.
    let wanted: RememberedIdentifiers
    /// Whether the list is to be the wanted one: what else a migration of the source put there goes, and what it lacks
    /// is added. Otherwise wanted members that it has come into their order.
    let isWhole: Bool

    /// How many of the wanted members are in their places, or have none.
    var done = 0
    /// The last entry that is in its place, or stays though it is not wanted, and behind which to go on.
    var last: EntryID?

    /// Whether the commit that is being made changes it.
    var hasChanged = false

    private let memory: RecordMemory
    /// What is wanted, once that is asked.
    private var known: RememberedKeys?
    private let missing: RememberedSet<UInt64>

    init(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ wanted: RememberedIdentifiers,
        isWhole: Bool,
        in memory: RecordMemory
    ) {
        self.list = list
        self.owner = owner
        self.wanted = wanted
        self.isWhole = isWhole
        self.memory = memory
        missing = RememberedSet(in: memory)
    }

    /// Goes on from the beginning of the list.
    func restart() {
        done = 0
        last = nil
    }

    /// Whether an entry is wanted anywhere.
    ///
    /// - Throws: ``LegacyError`` with the code `inputOutput` where what does not fit into memory cannot be put aside.
    func isWanted(_ entry: EntryID) throws(LegacyError) -> Bool {
        if let known { return try known.contains(entry.target, of: list.target) }
        let known = RememberedKeys(in: memory)
        for place in 0..<wanted.count {
            try known.insert(try wanted.key(at: place).text, of: list.target)
        }
        self.known = known
        return try known.contains(entry.target, of: list.target)
    }

    /// Says that the member at a place cannot come into the list.
    func leaveOut(_ place: Int) throws(LegacyError) {
        try missing.insert(UInt64(place))
    }

    /// The next wanted member, behind those that cannot come into the list; nil where there is none.
    func next() throws(LegacyError) -> String? {
        while done < wanted.count {
            let isLeftOut = try missing.contains(UInt64(done))
            if !isLeftOut { return try wanted.key(at: done).text }
            done += 1
        }
        return nil
    }

    /// The places of the next wanted members, as many as a window has.
    func window(_ count: Int) throws(LegacyError) -> [Int] {
        var places: [Int] = []
        var place = done
        while place < wanted.count, places.count < count {
            let isLeftOut = try missing.contains(UInt64(place))
            if !isLeftOut { places.append(place) }
            place += 1
        }
        return places
    }

    /// Whether the list begins with the wanted members in their order, as far as it has them; entries that are not
    /// wanted make no difference.
    ///
    /// - Parameter counts: asked about a wanted member that the list has: whether it is looked at.
    func isInOrder(
        in state: borrowing ReadTransaction,
        where counts: (String) throws -> Bool = { _ in true }
    ) throws -> Bool {
        defer { restart() }
        var isInOrder = true
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            guard let next = try next() else { return false }
            let isNext = next.utf8.elementsEqual(entry.target.utf8)
            guard try isNext || isWanted(entry), try counts(entry.target) else { return true }
            if isNext { done += 1 }
            isInOrder = isNext
            return isInOrder
        }
        return isInOrder
    }
}
