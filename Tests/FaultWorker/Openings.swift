import FaultSupport
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One of several processes that open one store after the other, all of them at the same moment.
///
/// A round begins when its store is there, and is over for this process when its file of results has another line.
struct Openings {
    private let directory: String
    private let number: Int
    private let roundCount: Int
    private let results: AcknowledgementFile
    private let parent = getppid()

    init(_ input: Input) {
        directory = input["directory"]
        number = input.number("number")
        roundCount = input.number("rounds")
        results = AcknowledgementFile(path: input["results"])
    }

    func run() {
        for round in 0..<roundCount {
            let start = directory + "/start-\(round)"
            guard Starting.wait(for: start, whileChildOf: parent) else { return }
            do {
                try work(on: directory + "/store-\(round)", round)
                results.append("\(round) ok\n")
            } catch {
                results.append("\(round) \(error)\n")
            }
        }
    }

    /// Two processes only read; the others write two commits, each of which is acknowledged when it is found.
    private func work(on path: String, _ round: Int) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        guard number > 1 else {
            _ = try store.statistics()
            return
        }
        for commit in 0..<2 {
            let id = Item.ID("\(round)-\(number)-\(commit)")
            try store.write { try $0.insert(Item(id: id, name: "Name")) }
            if try store.fetch(Item.self, id: id) == nil { throw Lost(id: id.rawValue) }
        }
    }

    private struct Lost: Error { let id: String }
}
