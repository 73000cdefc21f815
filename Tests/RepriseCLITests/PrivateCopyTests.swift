import Foundation
import TestSupport
import Testing

@testable import RepriseCLI

/// The private copy of a database that the command reads.
@Suite struct PrivateCopyTests {
    /// The program beside the tests.
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "reprise").path

    private static var isReady: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let directory: TemporaryDirectory
    private let temporary: String

    init() throws {
        directory = try TemporaryDirectory(named: "copies")
        temporary = directory.path("tmp")
        try FileManager.default.createDirectory(
            atPath: temporary,
            withIntermediateDirectories: false
        )
    }

    private func database() throws -> String {
        let path = directory.path("songs.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            """
            PRAGMA journal_mode=WAL;
            CREATE TABLE songs(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO songs SELECT i, 'secret ' || i, hex(randomblob(20)) FROM n;
            """
        )
        writer.close()
        return path
    }

    private var left: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: temporary) }
    }

    @Test(.enabled(if: isReady, "needs the built program"))
    func `nothing of a database stays in the directory of temporary files, whatever is done`()
        throws
    {
        let database = try database()
        for attempt in 0..<4 {
            let store = directory.path("store-\(attempt)")
            for words in [
                ["migrate", database, "--into", store, "--dry-run"],
                ["migrate", database, "--into", store],
                ["verify-migration", database, store],
                ["migrate", database, "--into", store, "--as", "coredata"],
            ] {
                var child = ChildProcess(
                    executable: Self.program,
                    arguments: words + ["--quiet"]
                )
                child.environment = ["TMPDIR": temporary]
                let ending = try child.run().ending
                #expect(ending == .exited(words.last == "coredata" ? 65 : 0))
                #expect(try left == [], "\(words)")
            }
        }
    }

    @Test(.enabled(if: isReady, "needs the built program"))
    func `nothing stays of one that is read when the process is killed`() throws {
        let database = try database()
        var killedCount = 0
        for attempt in 1...5 {
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = [
                "migrate", database, "--into", directory.path("store"), "--quiet",
            ]
            process.environment = ProcessInfo.processInfo.environment
                .merging(["TMPDIR": temporary]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            // The copy has been opened as soon as there is a store.
            let start = ContinuousClock.now
            while !FileManager.default.fileExists(atPath: directory.path("store")),
                process.isRunning, ContinuousClock.now - start < .seconds(20)
            {
                Thread.sleep(forTimeInterval: 0.002 * Double(attempt))
            }
            if process.isRunning { killedCount += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(try left == [])
            try? FileManager.default.removeItem(atPath: directory.path("store"))
        }
        #expect(killedCount > 0)
    }
}
