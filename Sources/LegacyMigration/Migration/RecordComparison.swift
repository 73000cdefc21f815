import MusicLibrary
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compares records of an export with rows of a store, by the names of the schema.
final class RecordComparison {
    private let pass: MigrationPass
    private let store: Store
    private let schema: SchemaDescription
    private let differenceCountMax: Int
    private var report: MigrationVerification
    private var records: [LegacyRecord] = []
    /// The identifiers that the export has, by model.
    private var seen: [String: KeySet] = [:]
    /// The albums and folders that have members in the store, by the name of the members' to-one.
    private var occupied: [String: [String]] = [:]
    /// The members of albums and folders, in the order of the export.
    private var members: [String: WantedOrders] = [:]

    /// Enough to make the opening of a read cheap, few enough to keep it short.
    private static let recordCountPerRead = 512

    init(_ pass: MigrationPass, in store: Store, differenceCountMax: Int) {
        self.pass = pass
        self.store = store
        self.differenceCountMax = differenceCountMax
        schema = MusicLibrary.schema.description
        report = MigrationVerification(source: pass.source)
    }

    func consume(_ record: LegacyRecord) throws {
        records.append(record)
        if records.count >= Self.recordCountPerRead { try compare() }
    }

    /// Compares what is left, the orders, and what the export lacks.
    func finish() throws -> MigrationVerification {
        try compare()
        try compareMembers(Album.tracks, "album")
        try compareMembers(Playlist.children, "parent")
        try findSurplus()
        return report
    }

    // MARK: Records

    private func compare() throws {
        try store.read { state in
            for record in records { try compare(record, in: state) }
        }
        records.removeAll(keepingCapacity: true)
    }

    private func compare(_ record: LegacyRecord, in state: borrowing ReadTransaction) throws {
        guard let model = schema.model(named: record.className) else { return }
        report.recordCounts[model.name, default: 0] += 1
        let id = try pass.identifier(of: record, in: state)
        seen[model.name, default: KeySet()].insert(id)
        noteOwner(record, id)
        guard let row = try state.record(model: model.name, id: id) else {
            let name = LibraryReport.quoted(id)
            add(.missing, model.name, id, nil, "The store has no \(model.name) \(name).", nil)
            return
        }
        for (list, toOne) in [("tracks", "album"), ("children", "parent")] {
            guard model.name == target(of: toOne),
                let row = row.lists.first(where: { $0.name == list }),
                !row.targets.isEmpty
            else { continue }
            occupied[toOne, default: []].append(id)
        }
        for attribute in model.attributes {
            compare(record[attribute.name], with: row[attribute.name], attribute, row)
        }
        guard case .references(let wanted)? = record["tracks"], model.name == Playlist.schema.name
        else { return }
        try compare(wanted.map { pass.storedIdentifier(Track.schema.name, $0) }, row, in: state)
    }

    private func compare(
        _ wanted: LegacyValue?,
        with found: Value,
        _ attribute: AttributeDescription,
        _ row: Record
    ) {
        let name = attribute.name
        report.valueCount += 1
        guard !isSame(wanted, found, attribute) else { return }
        let expected = wanted.map { "\($0)" } ?? "no value"
        let message =
            "The \(name) of \(row.model) \(LibraryReport.quoted(row.id)) is \(Self.short("\(found)"))"
            + " where the export has \(Self.short(expected))."
        add(.differentValue, row.model, row.id, name, message, row)
    }

    /// Whether a row holds what the export says. What the export does not say is nil, or, where a value is required,
    /// what the library puts in its place: zero, false, an empty text.
    private func isSame(
        _ wanted: LegacyValue?,
        _ found: Value,
        _ attribute: AttributeDescription
    ) -> Bool {
        switch (wanted, found) {
        case (nil, .null): true
        case (nil, .int(0)), (nil, .bool(false)): !attribute.isOptional
        case (nil, .string(let found)): !attribute.isOptional && found.isEmpty
        case (.bool(let wanted)?, .bool(let found)): wanted == found
        case (.integer(let wanted)?, .int(let found)): wanted == Int64(found)
        case (.double(let wanted)?, .double(let found)): wanted.bitPattern == found.bitPattern
        case (.string(let wanted)?, .string(let found)): wanted.utf8.elementsEqual(found.utf8)
        case (.date(let wanted)?, .date(let found)): wanted == found
        case (.data(let wanted)?, .data(let found)): wanted == found
        case (.uuid(let wanted)?, .uuid(let found)): wanted == found
        case (.reference(let key)?, .reference(let found)):
            pass.storedIdentifier(target(of: attribute.name), key).utf8.elementsEqual(found.utf8)
        default: false
        }
    }

    /// The model that a to-one of the music library leads to.
    private func target(of relationship: String) -> String {
        relationship == "album" ? Album.schema.name : Playlist.schema.name
    }

    // MARK: Lists

    /// The entries of a playlist, and whether each track knows that it is in it.
    private func compare(
        _ wanted: [String],
        _ row: Record,
        in state: borrowing ReadTransaction
    ) throws {
        let found = row.lists.first { $0.name == "tracks" }?.targets ?? []
        report.entryCount += wanted.count
        if found != wanted {
            let place = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset
            let where_ = place ?? min(found.count, wanted.count)
            let message =
                "The tracks of playlist \(LibraryReport.quoted(row.id)) differ from entry \(where_ + 1) on: "
                + "\(found.count) here, \(wanted.count) in the export."
            add(.differentList, row.model, row.id, "tracks", message, row)
            return
        }
        for track in Set(wanted) {
            let lists = try state.entries(of: "playlists", model: Track.schema.name, id: track)
            guard !lists.contains(where: { $0.target == row.id }) else { continue }
            let message =
                "Track \(LibraryReport.quoted(track)) does not know that it is in playlist "
                + "\(LibraryReport.quoted(row.id))."
            add(.oneSided, Track.schema.name, track, "playlists", message, nil)
        }
    }

    /// Notes what a record is a member of.
    private func noteOwner(_ record: LegacyRecord, _ id: String) {
        for name in ["album", "parent"] {
            guard case .reference(let key)? = record[name] else { continue }
            members[name, default: WantedOrders()]
                .append(id, to: pass.storedIdentifier(target(of: name), key))
        }
    }

    /// The lists that are the other side of a to-one.
    private func compareMembers<Owner, Target>(
        _ relationship: Relationship<Owner, Target>,
        _ toOne: String
    ) throws {
        let lists = members[toOne, default: WantedOrders()].grouped()
        var wantedLists = (0..<lists.count).map { ($0, lists.owner(at: $0)) }
        let named = Set(wantedLists.map(\.1))
        // Those that have members here and none in the export.
        wantedLists += occupied[toOne, default: []].filter { !named.contains($0) }.map { (-1, $0) }
        try store.read { state in
            for (index, owner) in wantedLists {
                let wanted = index < 0 ? [] : lists.members(at: index)
                report.entryCount += wanted.count
                let found = try state.entries(relationship, of: Owner.ID(owner))
                    .map(\.target.rawValue)
                guard found != wanted else { continue }
                let row = try state.record(model: Owner.schema.name, id: owner, lists: false)
                let message =
                    "The \(relationship.name) of \(Owner.schema.name) \(LibraryReport.quoted(owner)) are others, or in "
                    + "another order: \(found.count) here, \(wanted.count) in the export."
                add(.differentList, Owner.schema.name, owner, relationship.name, message, row)
            }
        }
    }

    private func findSurplus() throws {
        try store.read { state in
            for model in schema.models {
                try state.forEachRecord(RecordQuery(model: model.name), lists: false) { row in
                    guard pass.isOurs(row.created), seen[model.name]?.contains(row.id) != true
                    else {
                        return true
                    }
                    let name = LibraryReport.quoted(row.id)
                    let message = "The export no longer has the \(model.name) \(name)."
                    add(.surplus, model.name, row.id, nil, message, row)
                    return true
                }
            }
        }
    }

    // MARK: Differences

    private func add(
        _ kind: MigrationDifference.Kind,
        _ model: String,
        _ id: String,
        _ name: String?,
        _ message: String,
        _ row: Record?
    ) {
        report.differenceCounts[kind, default: 0] += 1
        guard report.differences.count < differenceCountMax else { return }
        report.differences.append(
            MigrationDifference(
                kind: kind,
                model: model,
                id: id,
                name: name,
                message: message,
                isChangedHere: row.map { !pass.isOurs($0.revision.position) } ?? false
            )
        )
    }

    /// A value in a message: not longer than a line.
    private static func short(_ text: String) -> String {
        text.unicodeScalars.count <= 60 ? text : String(text.unicodeScalars.prefix(60)) + "…"
    }
}
