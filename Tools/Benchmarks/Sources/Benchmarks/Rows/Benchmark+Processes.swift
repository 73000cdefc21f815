import Foundation
import Reprise

/// Rows 12 and 15, each sample in a process of its own.
extension Benchmark {
    func measureColdOpen() throws {
        let stores = try stores()
        var row = TableRow(
            "12",
            "open \(options.trackCount.grouped) rows and read the first, new process",
            .seconds,
            .atMost(1, timesWhatIsNeededBy: .grdb)
        )
        let participants = [
            (Participant.reprise, stores.repriseDirectory), (.grdb, stores.grdbDirectory),
        ]
        try stores.closed {
            for run in 1...(options.runs * 3) {
                announce("row 12, run \(run)")
                let id = source.id(options.trackCount / 2 + run)
                var checks: [(Participant, Double)] = []
                for (participant, place) in participants {
                    let numbers = try ChildProcess.numbers(
                        ["cold-open", participant.rawValue, place.path, id.rawValue]
                    )
                    row.add(numbers[0], of: participant)
                    checks.append((participant, numbers[1]))
                }
                try agree("the first read", checks)
            }
        }
        finish(row)
    }

    func measureMemory() throws {
        guard PrivateMemory.current() != nil else {
            var row = TableRow("15", "peak private memory", .bytes)
            row.note = "measured on Linux only"
            return finish(row)
        }
        var inserting = TableRow(
            "15a",
            "peak private memory inserting \(options.trackCount.grouped) in batches",
            .bytes,
            .atMostValue(150e6)
        )
        var streaming = TableRow(
            "15b",
            "peak private memory streaming \(options.trackCount.grouped) out",
            .bytes,
            .atMostValue(50e6)
        )
        announce("row 15")
        var checks: [(Participant, [Double])] = []
        for participant in [Participant.reprise, .grdb] {
            let place = try directory.make(UUID().uuidString)
            let name = participant.rawValue
            let count = String(options.trackCount)
            let written = try ChildProcess.numbers(["memory-insert", name, place.path, count])
            let read = try ChildProcess.numbers(["memory-stream", name, place.path])
            inserting.add(written[0], of: participant)
            streaming.add(read[0], of: participant)
            checks.append((participant, Array(read.dropFirst())))
            try FileManager.default.removeItem(at: place)
        }
        try agree("what was streamed out", checks)
        finish(inserting)
        finish(streaming)
    }
}
