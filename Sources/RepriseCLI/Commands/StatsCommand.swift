import Reprise

/// `reprise stats`: how large a store is and what it holds.
struct StatsCommand: Command {
    var store: StoreLocation
    var isJSON = false

    func run(in console: inout Console) throws -> Outcome {
        let statistics = try store.open { store in try store.statistics() }
        if isJSON {
            try console.json { Self.write(statistics, to: &$0) }
        } else {
            try console.facts(Self.facts(statistics))
        }
        return .done
    }

    private static func write(_ statistics: StoreStatistics, to writer: inout JSONWriter) {
        writer.member("head", statistics.head.rawValue)
        writer.member("commits", statistics.commitCount)
        writer.member("digest", statistics.digest.description)
        writer.key("models")
        writer.object { writer in
            for (model, count) in statistics.counts { writer.member(model, count) }
        }
        writer.key("snapshots")
        writer.array { writer in
            for snapshot in statistics.snapshots { writer.snapshot(snapshot) }
        }
        writer.member("fileBytes", statistics.fileByteCount)
        writer.member("viewsPosition", statistics.viewsPosition.rawValue)
    }

    private static func facts(_ statistics: StoreStatistics) -> [(name: String, value: String)] {
        [
            ("head", Quantity.count(statistics.head.rawValue)),
            ("commits", Quantity.count(statistics.commitCount)),
            ("digest", statistics.digest.description),
        ] + statistics.counts.map { ($0.model, Quantity.count($0.count)) }
            + statistics.snapshots.map { ("snapshot", "\($0.name) at \($0.position)") }
            + [("file", Quantity.bytes(statistics.fileByteCount))]
    }
}
