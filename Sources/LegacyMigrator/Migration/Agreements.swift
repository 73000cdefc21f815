import ExportFormats
import LegacyRecords
import Reprise

/// What an export came to say as somebody else had set it in the store before: from then on the source has said it,
/// though no event of it did. Annotations of its migrations say so (Specs/format/migration.md).
final class Agreements {
    static let name = "migration.agreed"
    /// The name under which a row itself stands, that both have deleted.
    static let wholeRow = ""

    /// By row and name, up to which position the events of others count as the source's.
    private let positions: RememberedMap<ContentKey>
    /// Whether nothing has been agreed yet.
    private(set) var isEmpty = true
    /// The rows and lists that were counted.
    private let counted: RememberedKeys
    /// How many rows and lists the export has come to agree with.
    private(set) var count = 0
    /// Whether a migration is made: what is found is written into the log.
    var isWritten = false
    /// What the log does not have yet.
    private var unnoted: [(row: EntityReference, position: Position, names: [String])] = []
    /// Where the last annotation of the source is.
    private var last: Position?

    /// Reads what migrations of a source have written. What a rollback took back counts no more (HIS-46), and what
    /// somebody else has written under the same name and key is none of it.
    ///
    /// - Parameter owned: what migrations of the source have written.
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    /// - Complexity: O(entries in all annotations).
    init(
        of source: SourceIdentity,
        _ owned: PositionRanges,
        in store: Store,
        memory: RecordMemory
    ) throws {
        positions = RememberedMap(in: memory)
        counted = RememberedKeys(in: memory)
        if owned.isEmpty { return }
        let chain = AnnotationChain(name: Self.name, key: source.description)
        try store.read { state in
            var next = try chain.last(in: owned, of: state)
            last = next?.position
            let live = PositionRanges(
                try state.liveRanges().map { $0.lowerBound.rawValue...$0.upperBound.rawValue }
            )
            while let annotation = next {
                let payload = try MigrationLog.decode(Payload.self, annotation)
                if live.contains(annotation.position) {
                    for entry in payload.agreed { try insert(entry) }
                }
                next = try chain.annotation(before: annotation, at: payload.before, of: state)
            }
        }
    }

    /// Of several the one that was written last counts, which is read first.
    private func insert(_ entry: Entry) throws(LegacyError) {
        for key in Self.keys(entry.row, entry.names) {
            if try positions.value(of: key) != nil { continue }
            try positions.updateValue(.number(entry.position), of: key)
            isEmpty = false
        }
    }

    /// Up to which position what others have written of an attribute or a list counts as the source's; nil where it has
    /// never come to say the same.
    func position(of row: EntityReference, _ name: String) throws(LegacyError) -> Position? {
        if isEmpty { return nil }
        return try position(at: Self.key(row, name))
    }

    /// Up to which position the source has come to say that there is a row, of which it says nothing else.
    func position(ofBare row: EntityReference) throws(LegacyError) -> Position? {
        if isEmpty { return nil }
        return try position(at: Self.key(ofBare: row))
    }

    private func position(at key: ContentKey) throws(LegacyError) -> Position? {
        guard case .number(let position)? = try positions.value(of: key) else { return nil }
        return Position(rawValue: position)
    }

    /// Notes that the export says of attributes or lists of a row what the store has.
    ///
    /// - Parameters:
    ///   - names: those; none where it says that there is the row, and nothing of its attributes.
    ///   - position: that of the last event that has led to it.
    ///   - isCounted: false where that is no reason to begin a migration.
    func note(
        _ row: EntityReference,
        _ names: [String],
        upTo position: Position,
        isCounted: Bool = true
    ) throws(LegacyError) {
        isEmpty = false
        for key in Self.keys(row, names) {
            try positions.updateValue(.number(position.rawValue), of: key)
        }
        if isCounted, try counted.insert(row) { count += 1 }
        if isWritten { unnoted.append((row, position, names)) }
    }

    private static func key(_ row: EntityReference, _ name: String) -> ContentKey {
        ContentKey([row.model, row.id, name])
    }

    private static func key(ofBare row: EntityReference) -> ContentKey {
        ContentKey([row.model, row.id])
    }

    private static func keys(_ row: EntityReference, _ names: [String]) -> [ContentKey] {
        names.isEmpty ? [key(ofBare: row)] : names.map { key(row, $0) }
    }

    // MARK: In the log

    /// Whether there is something to write.
    var hasUnnoted: Bool { !unnoted.isEmpty }

    /// Writes what the log does not have yet into the commit that is being made.
    func write(_ migration: MigrationRecord, _ transaction: inout WriteTransaction) throws {
        var entries = AnnotationEntries()
        for (row, position, names) in unnoted {
            let words = [row.model, row.id].map(JSONText.quoted) + ["\(position.rawValue)"]
            entries.append(words + names.sorted().map(JSONText.quoted), to: "agreed")
        }
        for lists in entries.payloads {
            var json = JSONText()
            json.member("migration", migration.id)
            if let last { json.member("before", last.rawValue) }
            json.member("agreed", entries: lists["agreed"] ?? [])
            last = try transaction.annotate(
                name: Self.name,
                key: migration.source,
                payload: json.bytes
            )
        }
        unnoted.removeAll()
    }

    private struct Payload: Decodable {
        var before: UInt64?
        var agreed: [Entry]
    }

    private struct Entry: Decodable {
        let row: EntityReference
        let position: UInt64
        let names: [String]

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            row = EntityReference(
                model: try list.decode(String.self),
                id: try list.decode(String.self)
            )
            position = try list.decode(UInt64.self)
            var names: [String] = []
            while !list.isAtEnd { names.append(try list.decode(String.self)) }
            self.names = names
        }
    }
}
