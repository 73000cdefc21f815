import Foundation
import GRDB
import Reprise

/// Row 18: what opening a store of all tracks with the next version of its declaration costs, against a migration of
/// the peer that does the same.
extension Benchmark {
    private struct Change {
        let row: String
        let work: String
        let schema: Schema
        /// What the peer does.
        let migrate: @Sendable (Database) throws -> Void
    }

    private static let changes = [
        Change(row: "18a", work: "add an attribute with a default", schema: Schema(TrackVersions.Moody.self)) {
            try $0.execute(sql: "ALTER TABLE track ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'")
        },
        Change(row: "18b", work: "rename an attribute", schema: Schema(TrackVersions.Renamed.self)) {
            try $0.execute(sql: "ALTER TABLE track RENAME COLUMN title TO name")
        },
        Change(row: "18c", work: "remove an attribute", schema: Schema(TrackVersions.Slower.self)) {
            try $0.execute(sql: "ALTER TABLE track DROP COLUMN bpm")
        },
        Change(row: "18d", work: "add an index", schema: Schema(TrackVersions.Indexed.self)) {
            try $0.execute(sql: "CREATE INDEX track_on_artist ON track (artist)")
        },
        Change(row: "18e", work: "convert an attribute by a function", schema: Schema(TrackVersions.Whole.self)) {
            $0.add(
                function: DatabaseFunction("whole", argumentCount: 1, pure: true) { values in
                    Double.fromDatabaseValue(values[0]).map { Int($0) }
                }
            )
            try $0.execute(sql: "ALTER TABLE track ADD COLUMN seconds INTEGER NOT NULL DEFAULT 0")
            try $0.execute(sql: "UPDATE track SET seconds = whole(duration)")
            try $0.execute(sql: "ALTER TABLE track DROP COLUMN duration")
        },
    ]

    func measureSchemaChange() throws {
        let count = options.trackCount
        var rows = Self.changes.map { change in
            TableRow(
                change.row,
                "\(count.grouped) tracks: \(change.work)",
                .seconds,
                .atLeast(1, timesAsGoodAs: .grdb)
            )
        }
        for run in 1...options.runs {
            announce("row 18, run \(run)")
            let reprise = try insertOnce(RepriseEngine.self, count, by: .load)
            reprise.engine.close()
            let grdb = try insertOnce(GRDBEngine.self, count, by: .load)
            try grdb.engine.close()
            for (place, change) in Self.changes.enumerated() {
                rows[place].add(
                    try Stopwatch.time {
                        try Store.open(
                            at: reprise.directory.appending(path: "tracks.reprise").path,
                            schema: change.schema
                        ).close()
                    },
                    of: .reprise
                )
                rows[place].add(
                    try Stopwatch.time {
                        let pool = try DatabasePool.durable(at: grdb.directory.appending(path: "tracks.sqlite"))
                        try pool.write(change.migrate)
                        try pool.close()
                    },
                    of: .grdb
                )
            }
            try expectChanged(reprise.directory, grdb.directory, count)
            try FileManager.default.removeItem(at: reprise.directory)
            try FileManager.default.removeItem(at: grdb.directory)
        }
        for row in rows { finish(row) }
    }

    /// Both must have the same whole durations and moods in the end.
    private func expectChanged(_ reprise: URL, _ grdb: URL, _ count: Int) throws {
        let store = try Store.open(
            at: reprise.appending(path: "tracks.reprise").path,
            schema: Schema(TrackVersions.Whole.self)
        )
        defer { store.close() }
        let all = FetchDescriptor<TrackVersions.Whole>()
        let pool = try DatabasePool.durable(at: grdb.appending(path: "tracks.sqlite"))
        let peer = try pool.read {
            try Row.fetchOne($0, sql: "SELECT count(*), sum(seconds) FROM track WHERE mood = 'calm'")
        }
        try pool.close()
        let calm = try store.count(all.where { $0.mood == "calm" })
        let sum = try store.sum(\TrackVersions.Whole.duration)
        try expect("calm tracks", count, of: .reprise, calm)
        try expect("calm tracks", count, of: .grdb, peer?[0] ?? 0)
        try expect("whole durations", peer?[1] ?? 0, of: .reprise, Int(sum))
    }
}
