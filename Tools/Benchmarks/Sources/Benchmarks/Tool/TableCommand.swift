import ArgumentParser
import Foundation

struct TableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Runs every row, prints medians and how the goals were met."
    )

    @Option(help: "How often each row runs; the table has medians.")
    var runs = 3

    @Option(help: "Only these rows, for example 1,4,5.", transform: Self.rows)
    var rows = BenchmarkOptions.allRows

    @Option(help: "What the 1,000,000 is multiplied with; 0.01 for a quick look.")
    var scale = 1.0

    @Option(help: "A file to write every sample to.", completion: .file())
    var json: String?

    @Option(help: .hidden)
    var swiftVersion = "Swift 6"

    @Option(help: .hidden)
    var toolsDirectory = "Tools"

    func validate() throws {
        guard runs >= 1 else { throw ValidationError("--runs is at least 1.") }
        guard scale > 0, scale <= 10 else {
            throw ValidationError("--scale is above 0, at most 10.")
        }
    }

    func run() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let machine = MachineFacts(swift: swiftVersion)
        let loadBefore = MachineFacts.loadAverages
        print(machine.text)
        print("load before: \(MachineFacts.loadText)\n")
        let options = BenchmarkOptions(
            rows: rows,
            runs: runs,
            scale: scale,
            toolsDirectory: toolsDirectory
        )
        let benchmark = Benchmark(options: options, directory: directory)
        var failure: (any Error)?
        do {
            try await benchmark.run()
        } catch {
            failure = error
        }
        print(TextTable(rows: benchmark.rows).text)
        print("load after: \(MachineFacts.loadText)")
        try json.map { path in
            try JSONReport(
                machine: machine,
                loadBefore: loadBefore,
                loadAfter: MachineFacts.loadAverages,
                trackCount: options.trackCount,
                runs: runs,
                rows: benchmark.rows.map(JSONReport.Row.init)
            ).write(to: path)
        }
        if let failure { throw failure }
    }

    private static func rows(_ text: String) throws -> Set<Int> {
        let rows = text.split(separator: ",").map { Int($0.filter { $0 != " " }) ?? 0 }
        guard !rows.isEmpty, rows.allSatisfy(BenchmarkOptions.allRows.contains) else {
            throw ValidationError("--rows takes numbers from 1 to 19, for example 1,4,5.")
        }
        return Set(rows)
    }
}
