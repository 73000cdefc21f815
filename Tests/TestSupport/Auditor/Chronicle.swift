/// Every state that was ever committed: what changed with each commit, and now and then the whole state.
package struct Chronicle: Sendable {
    private struct Chapter: Sendable {
        /// The last position of the commit.
        let position: UInt64
        let isWhole: Bool
        /// Whether it has changed the schema.
        let isOfSchema: Bool
        let rows: [Entity: AuditState.Row?]
        let lists: [AuditState.ListKey: [AuditState.Entry]]
    }

    /// How many commits may lie between two whole states.
    private static let stride = 64

    private var chapters: [Chapter] = []
    /// Whole states by the number of chapters that they come after.
    private var wholes: [Int: AuditState] = [0: AuditState()]

    package init() {}

    package var commitCount: Int { chapters.count }

    /// The position at which the log stood after commit `index`; 0 before the first.
    package func position(afterCommit index: Int) -> UInt64 {
        index == 0 ? 0 : chapters[index - 1].position
    }

    /// Writes down a commit.
    ///
    /// - Parameters:
    ///   - isWhole: the state did not come from the one before by what is marked as touched: a rollback.
    ///   - isOfSchema: whether it has changed the schema.
    ///   - touched: of a whole state, the lists that its events tell of.
    package mutating func append(
        _ state: AuditState,
        at position: UInt64,
        isWhole: Bool = false,
        isOfSchema: Bool = false,
        touched: Set<AuditState.ListKey> = []
    ) {
        var rows: [Entity: AuditState.Row?] = [:]
        var lists: [AuditState.ListKey: [AuditState.Entry]] = [:]
        if !isWhole {
            for entity in state.touchedRows { rows[entity] = .some(state[entity]) }
            for key in state.touchedLists { lists[key] = state[list: key] }
        }
        for key in touched { lists[key] = state[list: key] }
        chapters.append(Chapter(position: position, isWhole: isWhole, isOfSchema: isOfSchema, rows: rows, lists: lists))
        if isWhole || chapters.count.isMultiple(of: Self.stride) {
            var whole = state
            whole.forgetTouched()
            wholes[chapters.count] = whole
        }
    }

    /// The number of commits that ended at or before a position: a position inside a commit shows what was before it.
    package func commits(upTo position: UInt64) -> Int {
        var low = 0
        var high = chapters.count
        while low < high {
            let middle = (low + high + 1) / 2
            if chapters[middle - 1].position <= position { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The state after the first `count` commits.
    package func state(after count: Int) -> AuditState {
        var start = count
        while wholes[start] == nil { start -= 1 }
        var state = wholes[start] ?? AuditState()
        for chapter in chapters[start..<count] {
            for (entity, row) in chapter.rows { state[entity] = row }
            for (key, entries) in chapter.lists { state[list: key] = entries }
        }
        state.forgetTouched()
        return state
    }

    /// Whether an entity is there after a commit behind the first `count`.
    package func appears(_ entity: Entity, after count: Int) -> Bool {
        (count..<chapters.count).contains { index in
            if let row = chapters[index].rows[entity], row != nil { return true }
            return wholes[index + 1]?.exists(entity) == true
        }
    }

    /// The lists that a commit has touched, be it to leave them as they were. Nil where it has changed the schema.
    package func touchedLists(by commit: Int) -> [AuditState.ListKey]? {
        let chapter = chapters[commit - 1]
        if chapter.isOfSchema { return nil }
        guard chapter.isWhole else { return Array(chapter.lists.keys) }
        return Array(chapter.lists.keys) + state(after: commit).differingLists(from: state(after: commit - 1))
    }

    /// Whether no commit behind the first `count` has touched a list, be it to leave it as it was.
    package func isUntouched(_ key: AuditState.ListKey, after count: Int) -> Bool {
        let entries = state(after: count)[list: key]
        return (count..<chapters.count).allSatisfy { index in
            guard chapters[index].lists[key] == nil else { return false }
            return wholes[index + 1].map { $0[list: key] == entries } ?? true
        }
    }

    /// The state at a position.
    package func state(at position: UInt64) -> AuditState {
        state(after: commits(upTo: position))
    }
}
