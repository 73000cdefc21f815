import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Ten processes with two versions of a program, five each, that open one store at the same moment and write it.
@Suite(.serialized) struct `Crowds of two versions` {
    private static let workerCount = 10

    @Test func `code of both versions goes on where the newer one only adds`() async throws {
        // STO-82, STO-84, STO-85
        let (archive, rounds) = try await run(newer: "more", roundCount: 5)
        defer { withExtendedLifetime(archive) {} }
        for round in rounds {
            #expect(round.endings.allSatisfy { $0.ending == "ok" }, "\(round.endings)")
            #expect(round.acknowledged.count == Self.workerCount * 4)
            let store = try Store.open(at: round.path, schema: Archive.More.schema)
            defer { store.close() }
            let cards = try store.fetch(FetchDescriptor<Archive.More.Card>())
            #expect(cards == round.expected.map { Archive.more($0.code, id: $0.id) })
            try expectSound(store, commitCount: UInt64(2 + 1 + round.acknowledged.count))
        }
    }

    @Test(arguments: ArchiveStore.Views.allCases)
    func `older code is told of a change that it cannot work with, and harms nothing`(
        _ views: ArchiveStore.Views
    ) async throws {
        // STO-82, STO-84, STO-85
        let (archive, rounds) = try await run(newer: views == .new ? "two without code" : "two", roundCount: 4)
        defer { withExtendedLifetime(archive) {} }
        var refused = 0
        for round in rounds {
            for worker in round.endings {
                let allowed = worker.isNewer ? ["ok"] : ["ok", "newerSchema", "schemaChanged"]
                #expect(allowed.contains(worker.ending), "\(round.endings)")
                if worker.ending != "ok" { refused += 1 }
            }
            let newest = views == .new ? Archive.Two.schemaWithoutCode : Archive.Two.schema
            let store = try Store.open(at: round.path, schema: newest)
            defer { store.close() }
            let cards = try store.fetch(FetchDescriptor<Archive.Two.Card>())
            let expected = round.expected.map { card in
                var converted = Archive.second(card.code, id: card.id, isTagged: views == .present)
                if card.isNewer { converted.tag = nil }
                return converted
            }
            #expect(cards == expected)
            try expectSound(store, commitCount: UInt64(2 + 1 + round.acknowledged.count))
        }
        // So that rounds in which nobody met anybody cannot pass.
        #expect(refused > rounds.count)
    }

    private func expectSound(_ store: Store, commitCount: UInt64) throws {
        let statistics = try store.statistics()
        #expect(statistics.schemaNumber == 2, "One of them made the change, once.")
        #expect(statistics.commitCount == commitCount)
        #expect(try store.verify().faults == [])
        #expect(try store.replay().digest == statistics.digest)
    }

    // MARK: Rounds

    private struct Round {
        struct Card {
            let code: Int
            let id: String
            let isNewer: Bool
        }

        /// How a process ended.
        struct Ending {
            let isNewer: Bool
            let ending: String
        }

        let path: String
        var endings: [Ending] = []
        var acknowledged: [Card] = []
        /// All cards, by identifier.
        var expected: [Card] {
            let first = (0..<40).map { Card(code: $0, id: "card-\($0)", isNewer: false) }
            return (first + acknowledged).sorted { $0.id < $1.id }
        }
    }

    private func run(newer: String, roundCount: Int) async throws -> (ArchiveStore, [Round]) {
        let archive = try ArchiveStore(40)
        let results = (0..<Self.workerCount).map { AcknowledgementFile(path: archive.scratch("results-\($0)")) }
        let workers = results.indices.map { number in
            archive.worker(
                "do=versions",
                "directory=" + archive.scratch.path,
                "number=\(number)",
                "version=" + (number < Self.workerCount / 2 ? "one" : newer),
                "rounds=\(roundCount)",
                "seed=\(KillTests.seed)",
                results: results[number]
            )
        }
        defer { for worker in workers { worker.kill() } }
        var rounds: [Round] = []
        for number in 0..<roundCount {
            rounds.append(Round(path: try archive.copy("store-\(number)")))
            Starting.announce(archive.scratch("start-\(number)"))
            let deadline = ContinuousClock.now + .seconds(60)
            while !results.allSatisfy({ $0.lines.contains { $0.hasPrefix("\(number) ends") } }) {
                try #require(ContinuousClock.now < deadline, "A process hangs in round \(number). \(archive.output)")
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        for worker in workers { #expect(await worker.end() == .exit(0)) }
        for (number, file) in results.enumerated() {
            let isNewer = number >= Self.workerCount / 2
            for line in file.lines {
                let fields = line.split(separator: " ", maxSplits: 2).map(String.init)
                let round = try #require(Int(fields[0]))
                if fields[1] == "ends" {
                    rounds[round].endings.append(.init(isNewer: isNewer, ending: fields[2]))
                } else {
                    let code = try #require(Int(fields[2]))
                    rounds[round].acknowledged.append(.init(code: code, id: "crowd-\(code)", isNewer: isNewer))
                }
            }
        }
        return (archive, rounds)
    }
}
