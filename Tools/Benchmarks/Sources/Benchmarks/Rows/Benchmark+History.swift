import Foundation
import Reprise

/// Rows 13 and 14, which have no peer.
extension Benchmark {
    func measureReplay() throws {
        let engine = try stores().reprise
        var rate = TableRow(
            "13",
            "replay: every view anew",
            .perSecond,
            .atLeastValue(1_000_000)
        )
        var ratio = TableRow(
            "13b",
            "replay against loading the same tracks",
            .ratio,
            .atMostValue(0.2)
        )
        let digest = try engine.store.statistics().digest
        for run in 1...options.runs {
            announce("row 13, run \(run)")
            var eventCount = 0
            let seconds = try Stopwatch.time {
                let report = try engine.store.replay()
                eventCount = report.eventCount
                try agree(
                    "the state after a replay",
                    [(.floor, digest), (.reprise, report.digest)]
                )
            }
            rate.add(Double(eventCount) / seconds, of: .reprise)
            // The store has got more events since it was loaded; count only the time of the same number.
            let load = loadSeconds[(run - 1) % loadSeconds.count]
            let share = Double(options.trackCount) / Double(eventCount)
            ratio.add(seconds * share / load, of: .reprise)
        }
        finish(rate)
        finish(ratio)
    }

    func measureRollback() throws {
        let many = try stores().reprise
        let fewCount = min(10_000, options.trackCount)
        let few = try insertOnce(RepriseEngine.self, fewCount, by: .load)
        let changeCount = min(1000, fewCount / 2)
        var inMany = TableRow(
            "14a",
            "rollback of the last \(changeCount) changes in \(options.trackCount)",
            .seconds
        )
        var inFew = TableRow(
            "14b",
            "rollback of the last \(changeCount) changes in \(fewCount)",
            .seconds
        )
        for run in 1...(options.runs * 3) {
            announce("row 14, run \(run)")
            inMany.add(
                try rollback(many, changeCount, of: options.trackCount),
                of: .reprise
            )
            inFew.add(try rollback(few.engine, changeCount, of: fewCount), of: .reprise)
        }
        var ratio = TableRow("14", "rollback: 14a against 14b", .ratio, .atMostValue(1.5))
        if let slow = inMany.median(.reprise), let fast = inFew.median(.reprise) {
            ratio.add(slow / fast, of: .reprise)
        }
        for row in [ratio, inMany, inFew] { finish(row) }
        try few.discard()
    }

    /// Changes tracks all over the store in one commit and takes that back.
    ///
    /// - Returns: the seconds that taking back took.
    private func rollback(_ engine: RepriseEngine, _ changeCount: Int, of count: Int) throws
        -> Double
    {
        let store = engine.store
        let before = try store.statistics()
        try store.write { transaction in
            for change in 0..<changeCount {
                let id = source.id(change * (count / changeCount))
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
            try agree("changes", [(.floor, changeCount), (.reprise, report.changedCount)])
        }
        try agree("the state after a rollback", [(.floor, before.digest), (.reprise, digest)])
        return seconds
    }
}
