import Reprise

/// The annotation that names the rows which wait for a unique value, and those that were left out because too many
/// waited.
///
/// A run that takes up another one lets them wait again, though the value may be free by now, and leaves the same ones
/// out: so all rows after them find the store as they would have in an unbroken run. When a new row that waits is
/// inserted depends on where a run has ended all the same, so it comes into lists only at the end
/// (Specs/format/migration.md).
struct WaitingRows {
    static let name = "migration.waiting"

    /// Well below what a payload may have.
    private static let payloadByteCount = 512 << 10

    /// What the log has of the migration, and what this run adds to it.
    private let new: RememberedKeys
    private let known: RememberedKeys
    private let leftOut: RememberedKeys
    private var count = 0
    /// What the log does not have yet.
    private var unnoted: [(row: EntityReference, isNew: Bool)] = []
    private var unnotedLeftOut: [EntityReference] = []
    /// Where the last annotation of the migration is.
    private var last: Position?

    /// Reads what interrupted runs of a migration have left.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    init(of migration: MigrationRecord, in store: Store, memory: RecordMemory) throws {
        new = RememberedKeys(in: memory)
        known = RememberedKeys(in: memory)
        leftOut = RememberedKeys(in: memory)
        try store.read { state in
            var next = try state.annotation(name: Self.name, key: migration.source)
            while let annotation = next {
                let payload = try MigrationLog.decode(Payload.self, annotation)
                guard payload.migration == migration.id else { return }
                if last == nil { last = annotation.position }
                for row in payload.rows { try insert(row.reference, isNew: row.isNew) }
                for row in payload.leftOut ?? [] { try leftOut.insert(row.reference) }
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
    func contains(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        if count == 0 { return false }
        return try known.contains(id, of: model)
    }

    /// Whether a row waits or has waited, and was not there when it began to.
    func containsNew(_ model: String, _ id: String) throws(LegacyError) -> Bool {
        if count == 0 { return false }
        return try new.contains(id, of: model)
    }

    /// Whether a row was left out because too many waited.
    func isLeftOut(_ row: EntityReference) throws(LegacyError) -> Bool {
        try leftOut.contains(row)
    }

    mutating func append(_ row: EntityReference, isNew: Bool) throws(LegacyError) {
        if try insert(row, isNew: isNew) { unnoted.append((row, isNew)) }
    }

    mutating func leaveOut(_ row: EntityReference) throws(LegacyError) {
        if try leftOut.insert(row) { unnotedLeftOut.append(row) }
    }

    @discardableResult
    private mutating func insert(
        _ row: EntityReference,
        isNew: Bool
    ) throws(LegacyError) -> Bool {
        guard try known.insert(row) else { return false }
        if isNew { try new.insert(row) }
        count += 1
        return true
    }

    /// Writes what the log does not have yet into the commit that is being made.
    mutating func note(
        _ migration: MigrationRecord,
        _ transaction: inout WriteTransaction
    ) throws {
        var rows: [String] = []
        var leftOut: [String] = []
        var byteCount = 0
        func finish() throws {
            var json = JSONText()
            json.member("migration", migration.id)
            if let last { json.member("before", last.rawValue) }
            json.member("rows", entries: rows)
            if !leftOut.isEmpty { json.member("leftOut", entries: leftOut) }
            last = try transaction.annotate(
                name: Self.name,
                key: migration.source,
                payload: json.bytes
            )
            rows.removeAll(keepingCapacity: true)
            leftOut.removeAll(keepingCapacity: true)
            byteCount = 0
        }
        func entry(_ words: String...) throws -> String {
            let entry = "[\(words.joined(separator: ","))]"
            if byteCount > 0, byteCount + entry.utf8.count > Self.payloadByteCount { try finish() }
            byteCount += entry.utf8.count + 1
            return entry
        }
        for (row, isNew) in unnoted {
            let words = try entry(
                JSONText.quoted(row.model),
                JSONText.quoted(row.id),
                "\(isNew)"
            )
            rows.append(words)
        }
        for row in unnotedLeftOut {
            leftOut.append(try entry(JSONText.quoted(row.model), JSONText.quoted(row.id)))
        }
        if byteCount > 0 { try finish() }
        unnoted.removeAll()
        unnotedLeftOut.removeAll()
    }

    // MARK: In the log

    private struct Payload: Decodable {
        var migration: String
        var before: UInt64?
        var rows: [Row]
        var leftOut: [LeftOut]?
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

    private struct LeftOut: Decodable {
        let reference: EntityReference

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            reference = EntityReference(
                model: try list.decode(String.self),
                id: try list.decode(String.self)
            )
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
