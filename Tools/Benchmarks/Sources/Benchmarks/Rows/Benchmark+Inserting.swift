import Foundation
import Reprise

/// A store that was filled, and how long that took.
struct Insertion<Engine: TrackEngine> {
    let engine: Engine
    let directory: URL
    let seconds: Double

    func discard() throws {
        try engine.close()
        try FileManager.default.removeItem(at: directory)
    }
}

/// A floor that was filled, how long that took, and how long rows and indexes took of it.
struct FilledFloor {
    let floor: Floor
    let directory: URL
    let seconds: Double
    let viewsSeconds: Double

    func discard() throws {
        try FileManager.default.removeItem(at: directory)
    }
}

enum InsertionWay {
    /// A write for each batch.
    case writes
    /// The way that the engine recommends for many.
    case load
}

/// Rows 1, 2 and 16.
extension Benchmark {
    func measureSmallInsertion() throws {
        let count = options.smallCount
        var row = TableRow(
            "1",
            "insert \(count.grouped) in batches, a write each",
            .seconds,
            .atLeast(5, timesAsGoodAs: .grdb),
            .atMost(2, timesWhatIsNeededBy: .floor)
        )
        var bulk = TableRow(
            "1b",
            "the same through bulkLoad",
            .seconds,
            .atLeast(5, timesAsGoodAs: .grdb),
            .atMost(2, timesWhatIsNeededBy: .floor)
        )
        for run in 1...options.runs {
            announce("row 1, run \(run)")
            let reprise = try insertOnce(RepriseEngine.self, count, by: .writes)
            let grdb = try insertOnce(GRDBEngine.self, count, by: .writes)
            let floor = try fillFloor(count)
            let loaded = try insertOnce(RepriseEngine.self, count, by: .load)
            row.add(reprise.seconds, of: .reprise)
            bulk.add(loaded.seconds, of: .reprise)
            for (participant, seconds) in [
                (.grdb, grdb.seconds), (Participant.floor, floor.seconds),
            ] {
                row.add(seconds, of: participant)
                bulk.add(seconds, of: participant)
            }
            try agreeOnContent([reprise.engine, grdb.engine, loaded.engine], count: count)
            try reprise.discard()
            try grdb.discard()
            try floor.discard()
            try loaded.discard()
        }
        finish(row)
        finish(bulk)
    }

    /// The stores of the last run become the shared ones.
    func measureLoad() throws {
        let count = options.trackCount
        var row = TableRow(
            "2",
            "insert \(count.grouped) in batches",
            .seconds,
            .atLeast(8, timesAsGoodAs: .grdb),
            .atMost(1.5, timesWhatIsNeededBy: .floor)
        )
        for run in 1...options.runs {
            announce("row 2, run \(run)")
            let reprise = try insertOnce(RepriseEngine.self, count, by: .load)
            let grdb = try insertOnce(GRDBEngine.self, count, by: .load)
            row.add(reprise.seconds, of: .reprise)
            row.add(grdb.seconds, of: .grdb)
            let floor = try fillFloor(count)
            row.add(floor.seconds, of: .floor)
            try agreeOnContent([reprise.engine, grdb.engine], count: count)
            if run == options.runs {
                try share(reprise, grdb, floor)
            } else {
                try reprise.discard()
                try grdb.discard()
                try floor.discard()
            }
        }
        finish(row)
    }

    func measureDisk() throws {
        var row = TableRow(
            "16",
            "bytes on disk after row 2, history included",
            .bytes,
            .atMost(1.5, timesWhatIsNeededBy: .grdb)
        )
        let stores = try stores()
        for engine in stores.engines { try engine.settle() }
        let free = Double(try stores.reprise.store.statistics().freeByteCount)
        row.note = "of Reprise's, \(MeasuredUnit.bytes.text(free)) are free for what comes next"
        row.add(Double(diskByteCount(below: stores.repriseDirectory)), of: .reprise)
        row.add(Double(diskByteCount(below: stores.grdbDirectory)), of: .grdb)
        finish(row)
    }

    /// Fills a new store. Making the tracks is not part of the time; making and closing the store is not either.
    func insertOnce<Engine: TrackEngine>(
        _ type: Engine.Type,
        _ count: Int,
        by way: InsertionWay
    ) throws -> Insertion<Engine> {
        let place = try directory.make(UUID().uuidString)
        let engine = try Engine(in: place)
        let watch = Stopwatch()
        let nextBatch = batches(count, timing: watch)
        watch.resume()
        switch way {
        case .writes: while let tracks = nextBatch() { try engine.insert(tracks) }
        case .load: try engine.load(nextBatch)
        }
        watch.pause()
        return Insertion(engine: engine, directory: place, seconds: watch.seconds)
    }

    /// Fills a new floor with tracks.
    func fillFloor(_ count: Int) throws -> FilledFloor {
        let place = try directory.make(UUID().uuidString)
        let floor = try Floor(in: place)
        let watch = Stopwatch()
        let nextBatch = batches(count, timing: watch)
        watch.resume()
        let viewsSeconds = try floor.load(nextBatch, timing: watch)
        watch.pause()
        try expect("rows", count, of: .floor, try floor.count())
        return FilledFloor(
            floor: floor,
            directory: place,
            seconds: watch.seconds,
            viewsSeconds: viewsSeconds
        )
    }

    /// Gives out track 0 to `count - 1` in batches, stopping the watch while it makes them.
    private func batches(_ count: Int, timing watch: Stopwatch) -> () -> [Track]? {
        var next = 0
        return { [source, options] in
            watch.pause()
            defer { watch.resume() }
            guard next < count else { return nil }
            let range = next..<min(count, next + options.batchCount)
            next = range.upperBound
            return source.tracks(range)
        }
    }

    /// All have as many tracks, and a sample of them is what was inserted.
    private func agreeOnContent(_ engines: [any TrackEngine], count: Int) throws {
        let sample = stride(from: 0, to: count, by: max(1, count / 1000))
        let expected = ResultDigest(unordered: sample.map(source.track))
        for engine in engines {
            try expect("tracks", count, of: engine.participant, try engine.count())
            var found = ResultDigest(unordered: [])
            try engine.readTogether(sample.map(source.id)[...]) { found.add($0) }
            try expect("a sample", expected, of: engine.participant, found)
        }
    }
}
