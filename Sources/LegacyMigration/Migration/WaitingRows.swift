import Reprise

/// The annotation that names the rows which wait for a unique value.
///
/// A run that takes up another one lets them wait again, though the value may be free by now: so all rows after them
/// find the store as they would have in an unbroken run. When a new row that waits is inserted depends on where a run
/// has ended all the same, so it comes into lists only at the end (Specs/format/migration.md).
struct WaitingRows {
    static let name = "migration.waiting"

    /// As many as can wait; of a hostile export all rows may be refused.
    static let countMax = 2 * PostponedRecords.countMax
    /// Well below what a payload may have.
    private static let payloadByteCount = 512 << 10

    /// What the log has of the migration, and what this run adds to it.
    private var new: [String: KeySet] = [:]
    private var known: [String: KeySet] = [:]
    private var count = 0
    /// What the log does not have yet.
    private var unnoted: [(row: EntityReference, isNew: Bool)] = []
    /// Where the last annotation of the migration is.
    private var last: Position?

    /// Reads what interrupted runs of a migration have left.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    init(of migration: MigrationRecord, in store: Store) throws {
        try store.read { state in
            var next = try state.annotation(name: Self.name, key: migration.source)
            while let annotation = next {
                let payload = try MigrationLog.decode(Payload.self, annotation)
                guard payload.migration == migration.id else { return }
                if last == nil { last = annotation.position }
                for row in payload.rows { insert(row.reference, isNew: row.isNew) }
                guard let before = payload.before.map(Position.init(rawValue:)) else { return }
                next = try Self.annotation(at: before, migration.source, in: state)
                guard before < annotation.position, next != nil else {
                    throw MigrationLog.unreadable(migration.source)
                }
            }
        }
    }

    /// Whether no row waits or has waited.
    var isEmpty: Bool { count == 0 }

    /// Whether a row waits or has waited.
    func contains(_ model: String, _ id: String) -> Bool {
        count > 0 && known[model]?.contains(id) ?? false
    }

    /// Whether a row waits or has waited, and was not there when it began to.
    func containsNew(_ model: String, _ id: String) -> Bool {
        count > 0 && new[model]?.contains(id) ?? false
    }

    /// - Returns: false where too many are known already.
    mutating func append(_ row: EntityReference, isNew: Bool) -> Bool {
        guard count < Self.countMax, insert(row, isNew: isNew) else {
            return contains(row.model, row.id)
        }
        unnoted.append((row, isNew))
        return true
    }

    @discardableResult
    private mutating func insert(_ row: EntityReference, isNew: Bool) -> Bool {
        guard known[row.model, default: KeySet()].insert(row.id) else { return false }
        if isNew { new[row.model, default: KeySet()].insert(row.id) }
        count += 1
        return true
    }

    /// Writes what the log does not have yet into the commit that is being made.
    mutating func note(
        _ migration: MigrationRecord,
        _ transaction: inout WriteTransaction
    ) throws {
        var rows: [String] = []
        var byteCount = 0
        func finish() throws {
            var json = JSONText()
            json.member("migration", migration.id)
            if let last { json.member("before", last.rawValue) }
            json.member("rows", entries: rows)
            last = try transaction.annotate(
                name: Self.name,
                key: migration.source,
                payload: json.bytes
            )
            rows.removeAll(keepingCapacity: true)
            byteCount = 0
        }
        for (row, isNew) in unnoted {
            let words = [JSONText.quoted(row.model), JSONText.quoted(row.id), "\(isNew)"]
            let entry = "[\(words.joined(separator: ","))]"
            if byteCount + entry.utf8.count > Self.payloadByteCount, !rows.isEmpty { try finish() }
            rows.append(entry)
            byteCount += entry.utf8.count + 1
        }
        if !rows.isEmpty { try finish() }
        unnoted.removeAll()
    }

    // MARK: In the log

    private struct Payload: Decodable {
        var migration: String
        var before: UInt64?
        var rows: [Row]
    }

    private struct Row: Decodable {
        let reference: EntityReference
        let isNew: Bool

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            reference = EntityReference(
                model: try list.decode(String.self),
                id: try list.decode(String.self)
            )
            isNew = try list.decode(Bool.self)
        }
    }

    private static func annotation(
        at position: Position,
        _ source: String,
        in state: borrowing ReadTransaction
    ) throws -> Annotation? {
        var found: Annotation?
        try state.forEachCommit(from: position, to: position, where: { $0.annotation != nil }) {
            found = $0.events.compactMap(\.annotation).first {
                $0.position == position && $0.name == name
                    && $0.key.utf8.elementsEqual(source.utf8)
            }
            return false
        }
        return found
    }
}
