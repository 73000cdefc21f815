import Foundation
import Reprise

/// Rows 13 and 14, which have no peer.
extension Benchmark {
    func measureReplay() throws {
        let count = options.trackCount
        var rate = TableRow(
            "13",
            "replay: every view of \(count.grouped) tracks anew",
            .perSecond,
            .atLeastValue(1_000_000)
        )
        var ratio = TableRow(
            "13b",
            "replay against loading the same tracks",
            .ratio,
            .atMostValue(0.2)
        )
        var writesRatio = TableRow(
            "13c",
            "replay against inserting them, a write for each batch",
            .ratio,
            .atMostValue(0.2)
        )
        // Once: it takes a minute or more.
        let written = try insertOnce(RepriseEngine.self, count, by: .writes)
        try written.discard()
        for run in 1...options.runs {
            announce("row 13, run \(run)")
            let loaded = try insertOnce(RepriseEngine.self, count, by: .load)
            let store = loaded.engine.store
            let digest = try store.statistics().digest
            var eventCount = 0
            let seconds = try Stopwatch.time {
                let report = try store.replay()
                eventCount = report.eventCount
                try expect("the state after a replay", digest, of: .reprise, report.digest)
            }
            rate.add(Double(eventCount) / seconds, of: .reprise)
            ratio.add(seconds / loaded.seconds, of: .reprise)
            writesRatio.add(seconds / written.seconds, of: .reprise)
            try loaded.discard()
            // Sorts ready-made rows and index entries and appends them.
            let floor = try fillFloor(count)
            rate.add(Double(count) / floor.viewsSeconds, of: .floor)
            try floor.discard()
        }
        finish(rate)
        finish(ratio)
        finish(writesRatio)
    }

    func measureRollback() throws {
        let many = try stores().reprise
        let fewCount = min(10_000, options.trackCount)
        let few = try insertOnce(RepriseEngine.self, fewCount, by: .load).engine
        let changeCount = min(1000, fewCount / 2)
        for (names, places) in [
            (("14", "14a", "14b"), "anywhere"), (("14c", "14d", "14e"), "next to each other"),
        ] {
            func ids(_ engine: RepriseEngine, _ count: Int) throws -> [Track.ID] {
                guard places == "anywhere" else { return try engine.firstIDs(changeCount) }
                return (0..<changeCount).map { source.id($0 * (count / changeCount)) }
            }
            func row(_ name: String, _ count: Int) -> TableRow {
                TableRow(
                    name,
                    "rollback of \(changeCount.grouped) changes \(places) in \(count.grouped)",
                    .seconds
                )
            }
            var inMany = row(names.1, options.trackCount)
            var inFew = row(names.2, fewCount)
            for run in 1...(options.runs * 3) {
                announce("row 14, \(places), run \(run)")
                inMany.add(try rollback(many, ids(many, options.trackCount)), of: .reprise)
                inFew.add(try rollback(few, ids(few, fewCount)), of: .reprise)
            }
            finish(inMany)
            finish(inFew)
            var ratio = TableRow(
                names.0,
                "rollback, changes \(places): \(names.1) against \(names.2)",
                .ratio,
                .atMostValue(1.5)
            )
            if let slow = inMany.median(.reprise), let fast = inFew.median(.reprise) {
                ratio.add(slow / fast, of: .reprise)
            }
            finish(ratio)
        }
        few.close()
    }

    /// Changes tracks in one commit and takes that back.
    ///
    /// - Returns: the seconds that taking back took.
    private func rollback(_ engine: RepriseEngine, _ ids: [Track.ID]) throws -> Double {
        let store = engine.store
        let before = try store.statistics()
        try store.write { transaction in
            for id in ids {
                try transaction.update(Track.self, id: id) { track in
                    track.playCount += 1
                    track.genre = track.genre == "Jazz" ? "Bebop" : "Jazz"
                }
            }
        }
        var digest = before.digest
        let seconds = try Stopwatch.time {
            let report = try store.rollback(to: .position(before.head))
            digest = report.digest
            try expect("changes", ids.count, of: .reprise, report.changedCount)
        }
        try expect("the state after a rollback", before.digest, of: .reprise, digest)
        return seconds
    }
}

extension RepriseEngine {
    /// The identifiers that come first, whose rows lie together.
    fileprivate func firstIDs(_ count: Int) throws -> [Track.ID] {
        try store.fetch(FetchDescriptor<Track>().limit(count)).map(\.id)
    }
}
