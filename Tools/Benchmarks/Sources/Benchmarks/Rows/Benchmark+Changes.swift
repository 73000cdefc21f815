import Foundation
import Reprise

/// Row 19: comparing, taking back and bringing together. The peer is SQLite's session extension, which has some of
/// these verbs for changes that it has recorded while they were made.
extension Benchmark {
    func measureChanges() throws {
        let many = try insertOnce(RepriseEngine.self, options.trackCount, by: .load)
        let few = try insertOnce(RepriseEngine.self, min(10_000, options.trackCount), by: .load)
        let peer = SessionChanges.areAvailable ? try insertOnce(GRDBEngine.self, options.trackCount, by: .load) : nil
        try measureNearDifference(many.engine.store, few.engine.store, peer?.engine)
        try measureUndo(many.engine.store, peer?.engine)
        try measureBranches(many.engine.store)
        try measureFarDifference(many.engine.store)
        try measureRevert(many.engine.store, peer?.engine)
        try measureFarReads(many.engine.store)
        try many.discard()
        try few.discard()
        try peer?.discard()
    }

    /// Runs something, timed and with the memory that it took beside what the process had.
    private func add(_ time: inout TableRow, _ memory: inout TableRow, _ body: () throws -> Void) throws {
        let before = PrivateMemory.current() ?? 0
        let peak = try PrivateMemory.peak { time.add(try Stopwatch.time(body), of: .reprise) }
        if let peak { memory.add(Double(max(0, peak - before)), of: .reprise) }
    }

    private func rows(_ name: String, _ work: String) -> (time: TableRow, memory: TableRow) {
        (TableRow(name, work, .seconds), TableRow(name + "'", "memory of that", .bytes))
    }

    private func finish(_ rows: (time: TableRow, memory: TableRow)) {
        finish(rows.time)
        finish(rows.memory)
    }

    /// Changes tracks whose rows lie together, in one commit. Returns the position before.
    private func change(_ store: Store, _ count: Int, actor: String = "bench") throws -> Position {
        let before = try store.statistics().head
        let ids = try store.fetch(FetchDescriptor<Track>().limit(count)).map(\.id)
        try store.write(CommitContext(intent: "edit", actor: actor)) { transaction in
            for id in ids {
                try transaction.update(Track.self, id: id) { $0.playCount += 1 }
            }
        }
        return before
    }

    private func measureNearDifference(_ many: Store, _ few: Store, _ peer: GRDBEngine?) throws {
        let count = min(1000, options.trackCount / 2)
        let work = "difference of \(count.grouped) changes in \(options.trackCount.grouped)"
        var inMany = TableRow("19a", work, .seconds)
        var inFew = TableRow("19b", "difference of \(count.grouped) changes in a small store", .seconds)
        for run in 1...(options.runs * 3) {
            announce("row 19a, run \(run)")
            for store in [many, few] {
                let before = try change(store, count)
                var found = 0
                let seconds = try Stopwatch.time {
                    found = try store.difference(from: .position(before)).counts.updated
                }
                try expect("changes", count, of: .reprise, found)
                if store === many { inMany.add(seconds, of: .reprise) } else { inFew.add(seconds, of: .reprise) }
            }
            if let peer {
                _ = try peer.recordPlaying(try peer.ids(count)) { inMany.add($0, of: .grdb) }
            }
        }
        finish(inMany)
        finish(inFew)
        var ratio = TableRow("19", "difference, changes together: 19a against 19b", .ratio, .atMostValue(1.5))
        if let slow = inMany.median(.reprise), let fast = inFew.median(.reprise) {
            ratio.add(slow / fast, of: .reprise)
        }
        finish(ratio)
    }

    private func measureUndo(_ store: Store, _ peer: GRDBEngine?) throws {
        let id = source.id(0)
        var ratio = TableRow("19c", "undo of one change, against a commit of one", .ratio, .atMostValue(2))
        for run in 1...(options.runs * 3) {
            announce("row 19c, run \(run)")
            var (commits, undos) = (0.0, 0.0)
            for _ in 0..<100 {
                commits += try Stopwatch.time {
                    try store.write(CommitContext(actor: "undoer")) {
                        _ = try $0.update(Track.self, id: id) { $0.playCount += 1 }
                    }
                }
                undos += try Stopwatch.time {
                    try expect("undo", true, of: .reprise, try store.undo(by: "undoer")?.isDone == true)
                }
            }
            ratio.add(undos / commits, of: .reprise)
            guard let peer else { continue }
            (commits, undos) = (0, 0)
            for _ in 0..<100 {
                var changes: SessionChanges?
                commits += try Stopwatch.time { changes = try peer.recordPlaying([id.rawValue]) }
                undos += try Stopwatch.time {
                    guard let changes else { return }
                    try expect("undo", 0, of: .grdb, try peer.apply(try changes.inverted()))
                }
            }
            ratio.add(undos / commits, of: .grdb)
        }
        finish(ratio)
    }

    private func measureBranches(_ store: Store) throws {
        let changeCount = min(1000, options.trackCount / 2)
        var made = rows("19d", "a branch of \(options.trackCount.grouped) tracks")
        var merged = rows("19e", "a merge of \(changeCount.grouped) changes of a branch")
        var size = TableRow("19f", "the branch's bytes against the store's", .ratio, .atMostValue(1))
        for run in 1...options.runs {
            announce("row 19d, run \(run)")
            let path = directory.url.appending(path: "branch-\(run).reprise").path
            var branch: Store?
            try add(&made.time, &made.memory) { branch = try store.branch(to: path) }
            guard let branch else { continue }
            let (own, parent) = (URL(filePath: branch.path), URL(filePath: store.path))
            size.add(Double(diskByteCount(below: own)) / Double(diskByteCount(below: parent)), of: .reprise)
            _ = try change(branch, changeCount)
            try add(&merged.time, &merged.memory) {
                try expect("merged", changeCount, of: .reprise, try store.merge(branch).counts.updated)
            }
            branch.close()
            try FileManager.default.removeItem(atPath: path)
        }
        finish(made)
        finish(merged)
        finish(size)
    }

    private func measureFarDifference(_ store: Store) throws {
        var far = rows("19g", "difference of the empty store and that of \(options.trackCount.grouped)")
        for run in 1...options.runs {
            announce("row 19g, run \(run)")
            try add(&far.time, &far.memory) {
                let counts = try store.difference(from: .position(Position(rawValue: 1))).counts
                try expect("inserted", try store.count(Track.self), of: .reprise, counts.inserted)
            }
        }
        finish(far)
    }

    private func measureRevert(_ store: Store, _ peer: GRDBEngine?) throws {
        let count = min(100_000, options.trackCount / 10)
        var reverted = rows("19h", "revert of \(count.grouped) inserted tracks with 1,000 later edits")
        for run in 1...options.runs {
            announce("row 19h, run \(run)")
            let first = options.trackCount * 10 * run
            try store.write(CommitContext(correlation: "import \(run)")) { transaction in
                for number in first..<(first + count) { try transaction.insert(source.track(number)) }
            }
            try store.write { transaction in
                for number in 0..<min(1000, count) {
                    try transaction.update(Track.self, id: source.id(first + number)) { $0.playCount += 1 }
                }
            }
            try add(&reverted.time, &reverted.memory) {
                let report = try store.revert(correlation: "import \(run)", resolving: .ours)
                try expect("reverted", count - min(1000, count), of: .reprise, report.counts.deleted)
            }
            guard let peer else { continue }
            let changes = try peer.recordInserting((first..<(first + count)).map { source.track($0) })
            _ = try peer.recordPlaying((0..<min(1000, count)).map { source.id(first + $0).rawValue })
            reverted.time.add(
                try Stopwatch.time {
                    try expect("left out", min(1000, count), of: .grdb, try peer.apply(try changes.inverted()))
                },
                of: .grdb
            )
        }
        finish(reverted)
    }

    private func measureFarReads(_ store: Store) throws {
        let head = try store.statistics().head.rawValue
        for (name, part) in [("19i", 10), ("19k", 50), ("19m", 90)] {
            let point = Point.position(Position(rawValue: head / 100 * UInt64(part)))
            var first = rows(name, "a first read at \(part) % of the log")
            var second = TableRow(name + "2", "a second read there", .seconds)
            announce("row \(name)")
            var counts: [Int] = []
            try add(&first.time, &first.memory) {
                counts.append(try store.read(asOf: point) { try $0.count(Track.self) })
            }
            second.add(
                try Stopwatch.time { counts.append(try store.read(asOf: point) { try $0.count(Track.self) }) },
                of: .reprise
            )
            try expect("count", counts[0], of: .reprise, counts[1])
            finish(first)
            finish(second)
        }
    }
}
