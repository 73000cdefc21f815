import Foundation

/// Rows 3, 9 and 10: small durable commits into the shared stores. Both get the same tracks.
extension Benchmark {
    func measureInsertionIntoMany() throws {
        let stores = try stores()
        let count = 1000
        var row = TableRow(
            "3",
            "\(count.grouped) new rows in one commit into \(options.trackCount.grouped)",
            .seconds,
            .atLeast(1, timesAsGoodAs: .grdb)
        )
        for run in 1...(options.runs * 3) {
            announce("row 3, run \(run)")
            let tracks = source.tracks(stores.takeNew(count))
            for engine in stores.engines {
                row.add(try Stopwatch.time { try engine.insert(tracks) }, of: engine.participant)
            }
        }
        try expectAll(in: stores)
        finish(row)
    }

    func measureSingleCommits() throws {
        let stores = try stores()
        let count = 500
        var row = TableRow(
            "9",
            "durable single-row commits, one writer",
            .perSecond,
            .atLeast(1, timesAsGoodAs: .grdb)
        )
        let floor = stores.floor.floor
        let floorCount = try floor.count()
        for run in 1...options.runs {
            announce("row 9, run \(run)")
            let tracks = source.tracks(stores.takeNew(count))
            for engine in stores.engines {
                let seconds = try Stopwatch.time {
                    for track in tracks { try engine.insert([track]) }
                }
                row.add(Double(count) / seconds, of: engine.participant)
            }
            let watch = Stopwatch()
            try floor.commitSingly(tracks, after: count * (run - 1), timing: watch)
            row.add(Double(count) / watch.seconds, of: .floor)
        }
        try expectAll(in: stores)
        try expect("rows", floorCount + count * options.runs, of: .floor, try floor.count())
        finish(row)
    }

    func measureConcurrentCommits() async throws {
        let stores = try stores()
        let taskCount = 64
        let commitsPerTask = 50
        var row = TableRow(
            "10",
            "durable single-row commits from \(taskCount) tasks",
            .perSecond,
            .atLeast(10, timesAsGoodAs: .grdb)
        )
        for run in 1...options.runs {
            announce("row 10, run \(run)")
            let tracks = source.tracks(stores.takeNew(taskCount * commitsPerTask))
            for engine in stores.engines {
                let seconds = try await Stopwatch.timeAwaiting {
                    try await withThrowingTaskGroup { group in
                        for task in 0..<taskCount {
                            let first = task * commitsPerTask
                            group.addTask {
                                for track in tracks[first..<(first + commitsPerTask)] {
                                    try await engine.insertConcurrently(track)
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                row.add(Double(tracks.count) / seconds, of: engine.participant)
            }
        }
        try expectAll(in: stores)
        finish(row)
    }

    private func expectAll(in stores: SharedStores) throws {
        for engine in stores.engines {
            try expect("tracks", stores.trackCount, of: engine.participant, try engine.count())
        }
    }
}
