import Foundation

/// Row 11.
extension Benchmark {
    func measureCascade() throws {
        let plan = ShelfPlan(albumCount: max(100, options.smallCount / 10))
        let deleted = stride(from: 0, to: plan.albumCount, by: 5).map(plan.albumID)
        var row = TableRow(
            "11",
            "delete \(deleted.count.grouped) albums with 12 tracks each, cascading into playlists",
            .seconds,
            .atLeast(1, timesAsGoodAs: .grdb)
        )
        let engines: [any ShelfEngine.Type] = [RepriseShelf.self, GRDBShelf.self]
        for run in 1...options.runs {
            announce("row 11, run \(run)")
            for type in engines {
                let place = try directory.make(UUID().uuidString)
                let shelf = try type.init(in: place, filledBy: plan)
                let before = try shelf.counts()
                try expect("the shelf", plan.counts(without: 0), of: type.participant, before)
                row.add(
                    try Stopwatch.time { try shelf.deleteAlbums(deleted) },
                    of: type.participant
                )
                let left = plan.counts(without: deleted.count)
                try expect("what is left", left, of: type.participant, try shelf.counts())
                try shelf.close()
                try FileManager.default.removeItem(at: place)
            }
        }
        finish(row)
    }
}

extension ShelfPlan {
    /// What must be there when so many albums are gone.
    fileprivate func counts(without deleted: Int) -> ShelfCounts {
        let albums = albumCount - deleted
        let tracks = albums * tracksPerAlbum
        return ShelfCounts(albums: albums, tracks: tracks, entries: tracks)
    }
}
