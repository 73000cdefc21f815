import Foundation

/// This very program again, for what has to be measured in a process of its own.
enum ChildProcess {
    /// Runs a hidden subcommand and returns the numbers that it printed.
    static func numbers(_ arguments: [String]) throws -> [Double] {
        let process = Process()
        process.executableURL =
            Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError.child("\(arguments[0]) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .compactMap { Double($0) }
    }
}
