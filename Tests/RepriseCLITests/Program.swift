import Foundation

@testable import RepriseCLI

/// The command itself, where the build has put it beside the tests.
enum Program {
    static let path: String? = {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let path = directory.appendingPathComponent("reprise").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Runs a script in which `$0` is the program and `$1`, `$2` … are the words.
    ///
    /// - Returns: how the shell ended, and what was written to its standard output.
    static func shell(
        _ script: String,
        _ words: String...
    ) throws -> (ending: ChildProcess.Ending, output: String) {
        let arguments = ["-c", script, path ?? "reprise"] + words
        let (ending, output) = try ChildProcess(executable: "/bin/sh", arguments: arguments).run()
        return (ending, String(decoding: output, as: UTF8.self))
    }
}
