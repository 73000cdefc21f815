import Reprise

/// That an export was found to be of what its source gave before, where nothing but the name of a file says so: the
/// annotation `migration.admitted` (Specs/format/migration.md).
struct Admission {
    private static let name = "migration.admitted"

    private let contentHash: String
    /// Where relative locations of the export go on from.
    private let folder: String?

    init(_ contentHash: ContentHash, in folder: String?) {
        self.contentHash = contentHash.description
        self.folder = folder
    }

    /// Reads which export a migration goes on with that was interrupted; nil where that was not asked.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    init?(of migration: MigrationRecord, in state: borrowing ReadTransaction) throws {
        guard let annotation = try state.annotation(name: Self.name, key: migration.source) else { return nil }
        let payload = try MigrationLog.decode(Payload.self, annotation)
        guard payload.migration == migration.id else { return nil }
        contentHash = payload.sha256
        folder = payload.folder
    }

    /// Whether it is of the same bytes in the same place.
    func isSame(as other: Admission) -> Bool {
        contentHash == other.contentHash && (folder ?? "").utf8.elementsEqual((other.folder ?? "").utf8)
    }

    /// Writes that a migration goes on with the export.
    func write(of migration: MigrationRecord, _ transaction: inout WriteTransaction) throws {
        var json = JSONText()
        json.member("migration", migration.id)
        json.member("sha256", contentHash)
        if let folder { json.member("folder", folder) }
        try transaction.annotate(name: Self.name, key: migration.source, payload: json.bytes)
    }

    private struct Payload: Decodable {
        var migration: String
        var sha256: String
        var folder: String?
    }
}

extension Migrator {
    /// What the log is to say of the export where it was asked what it is of; nil where that is not asked.
    ///
    /// - Complexity: O(bytes of the export).
    func ownAdmission(_ history: SourceHistory, _ progress: (MigrationProgress) -> Bool) throws -> Admission? {
        guard source.identity.isFileName, !options.replacesEverything, history.last != nil else { return nil }
        return Admission(try history.contentHash(of: source, progress), in: source.folder)
    }

    /// Whether an interrupted migration has been begun, or taken up, with this very export: then it was found out that
    /// it is of what the source gave before, whatever the store has of it by now.
    func isAdmitted(
        to interrupted: MigrationRecord,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Bool {
        guard let admitted = try admission(to: interrupted) else { return false }
        return try ownAdmission(history, progress)?.isSame(as: admitted) ?? false
    }

    /// Which export an interrupted migration was begun with, or taken up.
    func admission(to interrupted: MigrationRecord) throws -> Admission? {
        try store.read { state in try Admission(of: interrupted, in: state) }
    }
}
