import Reprise

/// `reprise stats`: how large a store is and what it holds.
struct StatsCommand: Command {
    var store: StoreLocation
    var isJSON = false

    var isQuestion: Bool { true }

    func run(in console: inout Console) throws -> Outcome {
        let statistics = try store.open(for: .reading) { store in try store.statistics() }
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
        writer.member("freeBytes", statistics.freeByteCount)
        writer.member("viewsPosition", statistics.viewsPosition.rawValue)
        writer.member("schema", statistics.schemaNumber)
        writer.member("readers", statistics.readerCount)
        writer.member("oldestReaderLag", statistics.oldestReaderLag)
    }

    private static func facts(_ statistics: StoreStatistics) -> [(name: String, value: String)] {
        var facts: [(name: String, value: String)] =
            [
                ("head", Quantity.count(statistics.head.rawValue)),
                ("commits", Quantity.count(statistics.commitCount)),
                ("digest", statistics.digest.description),
            ] + statistics.counts.map { ($0.model, Quantity.count($0.count)) }
            + statistics.snapshots.map { ("snapshot", "\($0.name) at \($0.position)") }
        let free = Quantity.bytes(statistics.freeByteCount)
        facts.append(("file", "\(Quantity.bytes(statistics.fileByteCount)), \(free) of it free"))
        if statistics.viewsPosition < statistics.head {
            facts.append(("views", "at \(statistics.viewsPosition); a bulk load goes on"))
        }
        if statistics.oldestReaderLag > 0 {
            let lag = Quantity.count(statistics.oldestReaderLag, "commit")
            facts.append(("oldest reader", "\(lag) behind, which keeps the file growing"))
        }
        return facts
    }
}
