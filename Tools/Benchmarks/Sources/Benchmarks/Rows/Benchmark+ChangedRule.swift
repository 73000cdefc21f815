import Foundation
import GRDB
import Reprise

/// Row 18f: what another delete rule of a relationship costs. SQLite has no statement for it: the peer makes the table
/// anew, as its documentation says.
extension Benchmark {
    func measureChangedRule() throws {
        let plan = ShelfPlan(albumCount: max(100, options.trackCount / 12))
        var row = TableRow(
            "18f",
            "\(plan.trackCount.grouped) tracks on albums: keep them when their album is deleted",
            .seconds,
            .atLeast(1, timesAsGoodAs: .grdb)
        )
        for run in 1...options.runs {
            announce("row 18f, run \(run)")
            let directory = try self.directory.make(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: directory) }
            let reprise = try RepriseShelf(in: directory, filledBy: plan)
            reprise.close()
            row.add(
                try Stopwatch.time { try RepriseShelf.keepTracksOfDeletedAlbums(in: directory) },
                of: .reprise
            )
            let grdb = try GRDBShelf(in: directory, filledBy: plan)
            try grdb.close()
            row.add(
                try Stopwatch.time { try GRDBShelf.keepTracksOfDeletedAlbums(in: directory) },
                of: .grdb
            )
            for type in [RepriseShelf.self, GRDBShelf.self] as [any ShelfEngine.Type] {
                let left = try type.countsWithoutFirstAlbum(in: directory, plan)
                let expected = ShelfCounts(
                    albums: plan.albumCount - 1,
                    tracks: plan.trackCount,
                    entries: plan.playlistCount * plan.entriesPerPlaylist
                )
                try expect("the shelf without an album", expected, of: type.participant, left)
            }
        }
        finish(row)
    }
}
