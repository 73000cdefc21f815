internal import RepriseLMDB
internal import RepriseLog

/// What lists say of rows, row by row.
struct ToldOfRows: ~Copyable {
    private var placements: SortedRecords
    private var listed: SortedRecords
    private var hasPlacement = false
    private var hasListed = false
    /// The next row of which something is said.
    private(set) var present: EntityKey?

    init(placements: consuming SortedRecords, listed: consuming SortedRecords) {
        self.placements = placements
        self.listed = listed
    }

    /// Goes to the first row.
    mutating func begin() throws {
        hasPlacement = try placements.next()
        hasListed = try listed.next()
        find()
    }

    private mutating func find() {
        present = nil
        if hasPlacement { present = unsafe Self.entity(placements.key) }
        guard hasListed else { return }
        let entity = unsafe Self.entity(listed.key)
        if present.map({ entity.precedes($0) }) ?? true { present = entity }
    }

    private static func entity(_ key: UnsafeRawBufferPointer) -> EntityKey {
        unsafe EntityKey(model: Workspace.modelNumber(of: key), id: [UInt8](key.dropFirst(2)))
    }

    /// Gives a subject what is said of it, if anything is.
    mutating func take(for subject: inout IntakeComparison.Subject) throws {
        guard present == subject.entity else { return }
        while hasPlacement, unsafe Self.entity(placements.key) == subject.entity {
            let placement = try unsafe MemberPlace(placements.value)
            // Of two in a one-to-one the one counts that says who the partner is.
            if subject.placements[placement.slot]?.owner == nil { subject.placements[placement.slot] = placement }
            hasPlacement = try placements.next()
        }
        while hasListed, unsafe Self.entity(listed.key) == subject.entity {
            subject.entries.append(try unsafe ListedChange(listed.value).entry)
            hasListed = try listed.next()
        }
        find()
    }
}
