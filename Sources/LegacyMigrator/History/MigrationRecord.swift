import LegacyRecords
public import Reprise

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What the log says of the last migration of one source (Specs/format/migration.md).
public struct MigrationRecord: Sendable, Hashable {
    /// The migration's identifier, the correlation of all its commits.
    public let id: String
    /// The identity of the library, as text.
    public let source: String
    /// The snapshot of the state before.
    public let snapshotBefore: String
    /// When it was begun, in ISO 8601.
    public let startedAt: String
    /// When it was completed, in ISO 8601, or nil when it was interrupted.
    public let finishedAt: String?
    /// The SHA-256 of the export in hexadecimal digits; nil when it was interrupted.
    public let contentHash: String?
    /// Where relative locations of the export went on from; nil where it had none, or an older version wrote the log.
    let folder: String?
    /// The positions of its first and last event; the commits of others may lie between.
    public internal(set) var firstPosition: Position
    public internal(set) var lastPosition: Position

    /// Whether it reached the end of its export.
    public var isFinished: Bool { finishedAt != nil }

    /// The last migration of every source that the store has seen, by the bytes of the sources'
    /// identities.
    ///
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`, and what reading throws.
    public static func all(in store: Store) throws -> [MigrationRecord] {
        try store.read { state in
            try state.annotations(named: MigrationLog.started).map { started in
                try MigrationLog.Entry(source: started.key, in: state).record
            }
        }
    }
}

/// The annotations that migrations leave in the log.
enum MigrationLog {
    static let started = "migration.started"
    static let progress = "migration.progress"
    static let finished = "migration.finished"

    /// The payload of `migration.started`.
    struct Started: Decodable {
        var migration: String
        var snapshot: String
        var startedAt: String
    }

    /// The payload of `migration.progress`: the last event of the commit of a migration.
    struct Progress: Decodable {
        var migration: String
        /// The position of the first event of the commit; the last one is the annotation itself.
        var first: UInt64
        /// What the source's migrations had written before this commit.
        var owned: [[UInt64]]
        /// How much `migration.kept` says; missing where an older version wrote many commits.
        var form: UInt64?
    }

    /// The part of the payload of `migration.finished` that is read back.
    struct Finished: Decodable {
        var migration: String
        var finishedAt: String
        var sha256: String
        var folder: String?
        /// How many records the export had, by model.
        var read: [String: Int]?
        /// What the exports so far had, by model.
        var fields: [String: [String]]?

        /// The models of which the export had records.
        var models: Set<String> { Set((read ?? [:]).filter { $0.value > 0 }.keys) }
    }

    /// What the log knows of one source.
    struct Entry {
        let record: MigrationRecord
        /// Every position that migrations of the source have written.
        let owned: PositionRanges
        /// The attributes and lists that exports of the source had, by model.
        let fields: [String: Set<String>]
        /// Whether a migration of the source has come to its end, be it this one or one before.
        let hasFinished: Bool
        /// The last `migration.progress`; nil where there is none.
        let progress: Progress?

        /// Reads the last annotations of a source that has some.
        init(source: String, in state: borrowing ReadTransaction) throws {
            guard let begun = try state.annotation(name: started, key: source) else {
                throw unreadable(source)
            }
            let start = try decode(Started.self, begun)
            var owned = PositionRanges()
            var last = begun.position
            var progress: Progress?
            if let batch = try state.annotation(name: MigrationLog.progress, key: source) {
                let payload = try decode(Progress.self, batch)
                progress = payload
                for range in payload.owned {
                    guard range.count == 2, range[0] <= range[1] else { throw unreadable(source) }
                    owned.insert(range[0]...range[1])
                }
                guard payload.first <= batch.position.rawValue else { throw unreadable(source) }
                owned.insert(payload.first...batch.position.rawValue)
                if payload.migration == start.migration { last = max(last, batch.position) }
            }
            var end: Finished?
            var fields: [String: Set<String>] = [:]
            var hasFinished = false
            if let annotation = try state.annotation(name: finished, key: source) {
                hasFinished = true
                let payload = try decode(Finished.self, annotation)
                fields = (payload.fields ?? [:]).mapValues(Set.init)
                if payload.migration == start.migration {
                    end = payload
                    last = max(last, annotation.position)
                }
            }
            self.owned = owned
            self.progress = progress
            self.fields = fields
            self.hasFinished = hasFinished
            record = MigrationRecord(
                id: start.migration,
                source: source,
                snapshotBefore: start.snapshot,
                startedAt: start.startedAt,
                finishedAt: end?.finishedAt,
                contentHash: end?.sha256,
                folder: end?.folder,
                firstPosition: begun.position,
                lastPosition: last
            )
        }
    }

    /// The payload of `migration.started`.
    static func started(_ record: MigrationRecord, byteCount: UInt64) -> [UInt8] {
        var json = JSONText()
        json.member("migration", record.id)
        json.member("source", record.source)
        json.member("snapshot", record.snapshotBefore)
        json.member("startedAt", record.startedAt)
        json.member("bytes", byteCount)
        return json.bytes
    }

    /// The payload of `migration.progress`.
    ///
    /// - Parameter saysKept: whether `migration.kept` has all that the source's migrations so far have kept.
    static func progress(
        _ record: MigrationRecord,
        first: UInt64,
        owned: PositionRanges,
        saysKept: Bool
    ) -> [UInt8] {
        var json = JSONText()
        json.member("migration", record.id)
        json.member("first", first)
        json.member("owned", owned.ranges)
        json.member("form", saysKept ? Self.form : 1)
        return json.bytes
    }

    /// What a migration notes is of this form: one commit, with all that was kept (`migration.kept`).
    static let form: UInt64 = 2

    /// The payload of `migration.finished`.
    static func finished(
        _ record: MigrationRecord,
        _ pass: MigrationPass,
        _ counts: [String: MigrationCounts],
        _ reading: LegacyReading,
        of source: some LegacySource,
        finishedAt: String
    ) -> [UInt8] {
        var json = JSONText()
        json.member("migration", record.id)
        json.member("source", record.source)
        json.member("format", source.identity.kind)
        json.member("snapshot", record.snapshotBefore)
        json.member("startedAt", record.startedAt)
        json.member("finishedAt", finishedAt)
        json.member("bytes", reading.byteCount)
        json.member("sha256", reading.contentHash.description)
        if let folder = source.folder { json.member("folder", folder) }
        json.member("first", record.firstPosition.rawValue)
        json.member("read", counts.mapValues(\.read))
        json.member("inserted", counts.mapValues(\.inserted))
        json.member("updated", counts.mapValues(\.updated))
        json.member("unchanged", counts.mapValues(\.unchanged))
        json.member("deleted", counts.mapValues(\.deleted))
        let warnings = pass.warningCounts(reading).map { ($0.key.rawValue, $0.value) }
        json.member("warnings", Dictionary(warnings, uniquingKeysWith: +))
        let short = json.bytes
        if !pass.shape.fields.isEmpty {
            json.member("fields", pass.shape.fields.mapValues { $0.sorted() })
        }
        // Where the schema is declared, nothing depends on them but what is said of a later export.
        let isTooLarge = json.bytes.count > Annotation.payloadByteCountMax
        return isTooLarge && !pass.shape.infersSchema ? short : json.bytes
    }

    /// Now, in ISO 8601.
    static func timestamp() -> String {
        Date().formatted(.iso8601)
    }

    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    static func decode<T: Decodable>(_ type: T.Type, _ annotation: Annotation) throws -> T {
        try decode(type, annotation.payload, of: annotation.key)
    }

    /// - Parameter source: the key of the annotation.
    /// - Throws: ``MigrationError`` with the code `unreadableRecord`.
    static func decode<T: Decodable>(_ type: T.Type, _ payload: [UInt8], of source: String) throws -> T {
        do {
            return try JSONDecoder().decode(type, from: Data(payload))
        } catch {
            throw unreadable(source)
        }
    }

    static func unreadable(_ source: String) -> MigrationError {
        MigrationError(
            .unreadableRecord,
            "The log's record of the last migration of \(source) cannot be understood.",
            advice: "Use the version of the program that wrote it."
        )
    }
}
