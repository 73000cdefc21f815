internal import RepriseLMDB
internal import RepriseLog

/// The rows of a plan, by entity: in memory while they are few, in a file, in the order of their keys, when they are
/// many.
///
/// In the file every sixteenth key is known, so that a row is found by one reading of the file, and a filter says of
/// most entities that they have none. What is decided anew of a row is in memory, until that is full again.
final class PlanRows {
    private let memoryByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile
    /// What the file does not have, or has otherwise; nil for a row that the plan has no more.
    private var changes: [EntityKey: ChangePlan.Row?] = [:]
    private var changesByteCount = 0
    private var file: SpillFile?
    private var fileCount = 0
    /// Writes to the end of the file what comes in the order of the keys; nil while there is nothing that is not there.
    private var writer: PlanFileWriter?
    /// How often a row was decided.
    private var decisionCount = 0
    /// The last key of the file.
    private var lastKey: EntityKey?
    /// How to find a row in the file; nil until one is looked for.
    private var directory: PlanDirectory?
    /// How many go through the rows at the moment: the file stays as it is then.
    private var readerCount = 0

    init(memoryByteCount: Int, makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.memoryByteCount = memoryByteCount
        self.makeFile = makeFile
    }

    /// At most how many rows there are: what was taken out of a file, or changed there, is counted as well.
    var roughCount: Int { fileCount + changes.count }

    /// What becomes of a row; nil where nothing does.
    ///
    /// - Complexity: O(log n), and one reading of the file where the row may be there.
    func row(of entity: EntityKey) throws -> ChangePlan.Row? {
        if !changes.isEmpty, let change = changes[entity] { return change }
        return try directoryOfFile()?.row(of: entity)
    }

    /// Whether the entity is there in the end; nil where the plan does nothing with its row.
    ///
    /// - Complexity: as ``row(of:)``.
    func isThere(_ entity: EntityKey) throws -> Bool? {
        if !changes.isEmpty, let change = changes[entity] { return change.map { !$0.isDeletion } }
        return try directoryOfFile()?.isThere(entity)
    }

    private func directoryOfFile() throws -> PlanDirectory? {
        guard let file else { return nil }
        try finishWriting()
        let found = try directory ?? PlanDirectory(file, count: fileCount)
        directory = found
        return found
    }

    /// Decides what becomes of a row; nil for nothing.
    func set(_ row: ChangePlan.Row?, for entity: EntityKey) throws {
        decisionCount += 1
        if let row, let file, changes.isEmpty, readerCount == 0, lastKey.map({ $0.precedes(entity) }) ?? true {
            if writer == nil { writer = PlanFileWriter(file) }
            try writer?.append(entity, row)
            lastKey = entity
            fileCount += 1
            directory = nil
            return
        }
        if row == nil, file == nil {
            changes[entity] = nil
        } else {
            changes[entity] = .some(row)
            changesByteCount += 200 + entity.id.count + (row?.byteCount ?? 0)
        }
        if changesByteCount > memoryByteCount, readerCount == 0 { try spill() }
    }

    /// Hands over the rows in the order of their keys, each as it is decided at that moment. `body` may decide anew. A
    /// row that comes into the plan by that may be handed over as well.
    func forEach(_ body: (EntityKey, ChangePlan.Row) throws -> Void) throws {
        var last: EntityKey?
        while try !forEach(behind: &last, body) { try spill() }
    }

    /// - Parameter last: the row that was handed over last.
    /// - Returns: false where it was stopped, because so much was decided anew that it has to go to the file.
    private func forEach(
        behind last: inout EntityKey?,
        _ body: (EntityKey, ChangePlan.Row) throws -> Void
    ) throws -> Bool {
        try finishWriting()
        let decisionCount = decisionCount
        readerCount += 1
        defer { readerCount -= 1 }
        var isFull: Bool {
            readerCount == 1 && decisionCount != self.decisionCount && changesByteCount > byteCountMax
        }
        // A stop writes the whole file anew. So the larger the file is, the more is decided before the next stop.
        let byteCountMax = min(max(memoryByteCount, (file?.byteCount ?? 0) / 8), 4 * memoryByteCount)
        let start = last
        let keys = changes.keys.filter { start?.precedes($0) ?? true }.sorted { $0.precedes($1) }
        var next = 0
        /// Returns false to stop.
        func handOver(_ entity: EntityKey, _ row: ChangePlan.Row) throws -> Bool {
            try body(entity, row)
            last = entity
            return !isFull
        }
        func handOver(before bound: EntityKey?) throws -> Bool {
            while next < keys.count, bound.map({ keys[next].precedes($0) }) ?? true {
                let key = keys[next]
                next += 1
                if let row = changes[key] ?? nil, try !handOver(key, row) { return false }
            }
            return true
        }
        if let file {
            var reader = PlanFileReader(file)
            while let (entity, row) = try reader.next() {
                if let start, !start.precedes(entity) { continue }
                guard try handOver(before: entity) else { return false }
                let isChanged = next < keys.count && keys[next] == entity
                if isChanged { next += 1 }
                if isChanged || decisionCount != self.decisionCount, let change = changes[entity] {
                    if let row = change, try !handOver(entity, row) { return false }
                } else if try !handOver(entity, row) {
                    return false
                }
            }
        }
        return try handOver(before: nil)
    }

    /// Puts another decision in the place of each. `body` does not ask for rows.
    func replaceEach(_ body: (EntityKey, ChangePlan.Row) throws -> ChangePlan.Row) throws {
        if file != nil { return try writeAll(body) }
        try forEach { entity, row in changes[entity] = try body(entity, row) }
    }

    private func finishWriting() throws {
        try writer?.finish()
        writer = nil
    }

    /// Writes what is in memory to the file: at its end where it comes behind all that is there, as it does while the
    /// plan is made, or else into a new file together with that.
    private func spill() throws {
        directory = nil
        try finishWriting()
        let first = changes.keys.min { $0.precedes($1) }
        if let file, let lastKey, let first, lastKey.precedes(first) {
            var writer = PlanFileWriter(file)
            for key in changes.keys.sorted(by: { $0.precedes($1) }) {
                guard let row = changes[key] ?? nil else { continue }
                try writer.append(key, row)
                self.lastKey = key
            }
            try writer.finish()
            fileCount += writer.count
            changes = [:]
            changesByteCount = 0
        } else {
            try writeAll { $1 }
        }
    }

    /// Writes all rows to a new file, each as `body` makes it.
    private func writeAll(_ body: (EntityKey, ChangePlan.Row) throws -> ChangePlan.Row) throws {
        let whole = try makeFile()
        var writer = PlanFileWriter(whole)
        var last: EntityKey?
        try forEach { entity, row in
            try writer.append(entity, body(entity, row))
            last = entity
        }
        try writer.finish()
        (file, fileCount, lastKey, directory) = (whole, writer.count, last, nil)
        changes = [:]
        changesByteCount = 0
    }
}

extension ChangePlan.Row {
    fileprivate var byteCount: Int {
        switch self {
        case .insert(let payload): payload.count
        case .update(let from, let to): from.count + to.count
        case .delete: 0
        }
    }
}
