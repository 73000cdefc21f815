/// Rows 4 to 8: reads of the shared stores, everything decoded.
extension Benchmark {
    func measureReading() throws {
        if options.includes(4) { try measurePointReads() }
        if options.includes(5) {
            try measureQuery(
                TableRow(
                    "5",
                    "genre == x && duration > 200",
                    .seconds,
                    .atLeast(4, timesAsGoodAs: .grdb)
                ),
                digest: ResultDigest.init(unordered:)
            ) { try $0.tracks(ofGenre: "Jazz", longerThan: 200) }
        }
        if options.includes(6) {
            let count = min(10_000, options.trackCount)
            try measureQuery(
                TableRow(
                    "6",
                    "first \(count.grouped) by releaseDate",
                    .seconds,
                    .atLeast(3, timesAsGoodAs: .grdb)
                ),
                digest: ResultDigest.init(ordered:)
            ) { try $0.firstByReleaseDate(count) }
        }
        if options.includes(7) { try measureAggregate() }
        if options.includes(8) {
            try measureQuery(
                TableRow(
                    "8",
                    "title contains \"moon\", no index",
                    .seconds,
                    .atLeast(2, timesAsGoodAs: .grdb)
                ),
                digest: ResultDigest.init(unordered:)
            ) { try $0.tracks(withTitleContaining: "moon") }
        }
    }

    private func measurePointReads() throws {
        let engines = try stores().engines
        var random = SeededNumbers(seed: 4)
        let ids = (0..<200_000).map { _ in
            source.id(Int(random.next() % UInt64(options.trackCount)))
        }
        var together = TableRow(
            "4a",
            "point reads by id, one read transaction",
            .perSecond,
            .atLeast(20, timesAsGoodAs: .grdb)
        )
        var separately = TableRow(
            "4b",
            "point reads by id, a read transaction each",
            .perSecond,
            .atLeast(20, timesAsGoodAs: .grdb)
        )
        let floor = try stores().floor.floor
        let keys = Floor.RowKeys(ids)
        let digests = try engines.map { engine in
            var digest = ResultDigest(unordered: [])
            try engine.readTogether(ids[..<5000]) { digest.add($0) }
            try engine.readSeparately(ids[..<5000]) { digest.add($0) }
            return (engine.participant, digest)
        }
        try agree("point reads", digests)
        for run in 1...options.runs {
            announce("row 4, run \(run)")
            for engine in engines {
                together.add(
                    try readsPerSecond(ids) { try engine.readTogether($0, $1) },
                    of: engine.participant
                )
            }
            together.add(
                try slicesPerSecond(of: ids) { try floor.read(keys, $0, separately: false) },
                of: .floor
            )
            for engine in engines {
                separately.add(
                    try readsPerSecond(ids) { try engine.readSeparately($0, $1) },
                    of: engine.participant
                )
            }
            separately.add(
                try slicesPerSecond(of: ids) { try floor.read(keys, $0, separately: true) },
                of: .floor
            )
        }
        finish(together)
        finish(separately)
    }

    private func readsPerSecond(
        _ ids: [Track.ID],
        _ read: (ArraySlice<Track.ID>, (Track) -> Void) throws -> Void
    ) throws -> Double {
        var playCount = 0
        let rate = try slicesPerSecond(of: ids) { slice in
            try read(ids[slice]) { playCount &+= $0.playCount }
        }
        precondition(playCount > 0)
        return rate
    }

    /// Reads slice after slice for at least half a second. Returns how many each second.
    private func slicesPerSecond(
        of ids: [Track.ID],
        _ read: (Range<Int>) throws -> Void
    ) throws -> Double {
        let sliceCount = 10_000
        var start = 0
        let seconds = try Stopwatch.repeated {
            try read(start..<(start + sliceCount))
            start = (start + sliceCount) % ids.count
        }
        return Double(sliceCount) / seconds
    }

    /// Times a query on each engine in turn, after one that is not timed and whose results are compared.
    private func measureQuery(
        _ empty: TableRow,
        digest: ([Track]) -> ResultDigest,
        _ query: (any TrackEngine) throws -> [Track]
    ) throws {
        var row = empty
        let engines = try stores().engines
        let results = try engines.map { ($0.participant, digest(try query($0))) }
        try agree(row.work, results)
        for run in 1...options.runs {
            announce("row \(row.name), run \(run), \(results[0].1.count) results")
            for engine in engines {
                row.add(
                    try Stopwatch.repeated {
                        let found = try query(engine).count
                        precondition(found == results[0].1.count)
                    },
                    of: engine.participant
                )
            }
        }
        finish(row)
    }

    private func measureAggregate() throws {
        var row = TableRow(
            "7",
            "sum(duration) group by genre",
            .seconds,
            .atLeast(1, timesAsGoodAs: .grdb)
        )
        let sums = try stores().engines.compactMap { engine in
            try engine.durationByGenre().map { (engine, $0) }
        }
        try agree(row.work, sums.map { ($0.0.participant, $0.1) })
        for run in 1...options.runs {
            announce("row 7, run \(run)")
            for (engine, _) in sums {
                row.add(
                    try Stopwatch.repeated { _ = try engine.durationByGenre() },
                    of: engine.participant
                )
            }
        }
        if row.median(.reprise) == nil { row.note = "Reprise: not yet" }
        finish(row)
    }
}
