import ExportFormats
import LegacyRecords
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

    /// What the log has of the migration, and what this run adds to it.
    private let new: RememberedKeys
    private let known: RememberedKeys
    private let leftOut: RememberedKeys
    private let refused: RememberedKeys
    private var count = 0
    private var refusedCount = 0
    /// What the log does not have yet.
    private var unnoted: [(row: EntityReference, isNew: Bool)] = []
    private var unnotedLeftOut: [EntityReference] = []
    private var unnotedRefused: [EntityReference] = []
    /// Where the last annotation of the migration is.
    private(set) var last: Position?
    /// Whether annotations have come after that one that count no more: then the next commit has one, be it empty.
    private var isBehind: Bool

    /// Reads what interrupted runs of a migration have left. Annotations that somebody else has written under the same
    /// name and key are none of them.
    ///
    /// - Parameters:
    ///   - owned: what migrations of the source have written.
    ///   - returned: where the store has gone back to; what was noted after that counts no more.
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    init(
        of migration: MigrationRecord,
        _ owned: PositionRanges,
        _ returned: Settling?,
        in store: Store,
        memory: RecordMemory
    ) throws {
        isBehind = returned != nil
        new = RememberedKeys(in: memory)
        known = RememberedKeys(in: memory)
        leftOut = RememberedKeys(in: memory)
        refused = RememberedKeys(in: memory)
        try store.read { state in
            let chain = AnnotationChain(name: Self.name, key: migration.source)
            var next: Annotation?
            if let returned {
                next = try returned.note.map { try chain.annotation(at: $0, of: state) }
            } else {
                next = try chain.last(in: owned, from: migration.firstPosition, of: state)
            }
            last = next?.position
            while let annotation = next {
                let payload = try MigrationLog.decode(Payload.self, annotation)
                guard payload.migration == migration.id else {
                    throw MigrationLog.unreadable(migration.source)
                }
                for row in payload.rows { try insert(row.reference, isNew: row.isNew) }
                for row in payload.leftOut ?? [] { try leftOut.insert(row.reference) }
                for row in payload.refused ?? [] { try insertRefused(row.reference) }
                next = try chain.annotation(before: annotation, at: payload.before, of: state)
            }
        }
    }

    /// Whether so much is not in the log yet that it is to be written, whatever else there is.
    var isFull: Bool {
        unnoted.count + unnotedLeftOut.count + unnotedRefused.count >= Self.unnotedCountMax
    }

    /// With identifiers of ordinary length not half a payload.
    private static let unnotedCountMax = 4096

    /// Whether nothing waits or has waited.
    var isEmpty: Bool { count == 0 && refusedCount == 0 }

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

    /// Whether a to-one or a list, named by its model, a dot and its own name, waits or has waited for others to make
    /// room.
    func isRefused(_ place: EntityReference) throws(LegacyError) -> Bool {
        if refusedCount == 0 { return false }
        return try refused.contains(place)
    }

    mutating func refuse(_ place: EntityReference) throws(LegacyError) {
        if try insertRefused(place) { unnotedRefused.append(place) }
    }

    @discardableResult
    private mutating func insertRefused(_ place: EntityReference) throws(LegacyError) -> Bool {
        guard try refused.insert(place) else { return false }
        refusedCount += 1
        return true
    }

    /// Whether a row was tried for the last time and left out; or a to-one, because too many waited.
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
        var entries = AnnotationEntries()
        for (row, isNew) in unnoted {
            let words = [JSONText.quoted(row.model), JSONText.quoted(row.id), "\(isNew)"]
            entries.append(words, to: "rows")
        }
        for row in unnotedLeftOut {
            entries.append([row.model, row.id].map(JSONText.quoted), to: "leftOut")
        }
        for place in unnotedRefused {
            entries.append([place.model, place.id].map(JSONText.quoted), to: "refused")
        }
        let isOnlyBehind = isBehind && entries.payloads.isEmpty
        for lists in isOnlyBehind ? [[:]] : entries.payloads {
            var json = JSONText()
            json.member("migration", migration.id)
            if let last { json.member("before", last.rawValue) }
            json.member("rows", entries: lists["rows"] ?? [])
            if let leftOut = lists["leftOut"] { json.member("leftOut", entries: leftOut) }
            if let refused = lists["refused"] { json.member("refused", entries: refused) }
            last = try transaction.annotate(
                name: Self.name,
                key: migration.source,
                payload: json.bytes
            )
        }
        isBehind = false
        forgetUnnoted()
    }

    /// Keeps what the log does not have out of it.
    mutating func forgetUnnoted() {
        unnoted.removeAll()
        unnotedLeftOut.removeAll()
        unnotedRefused.removeAll()
    }

    // MARK: In the log

    private struct Payload: Decodable {
        var migration: String
        var before: UInt64?
        var rows: [Row]
        var leftOut: [Name]?
        var refused: [Name]?
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

    private struct Name: Decodable {
        let reference: EntityReference

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            reference = EntityReference(
                model: try list.decode(String.self),
                id: try list.decode(String.self)
            )
        }
    }
}
